#ifndef MANYARMS_SERVICE_API_NPY_BYTES_H_
#define MANYARMS_SERVICE_API_NPY_BYTES_H_

#include <cstddef>
#include <cstring>
#include <span>
#include <string>

/// For tests.
namespace manyarms::service {

/// An array as numpy.save writes it.
inline std::string NpyBytes(const std::string& type, const std::string& shape,
                            const std::string& values, bool fortran = false) {
  std::string header = "{'descr': '" + type +
                       "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  constexpr std::size_t kAlignment = 64;
  constexpr std::size_t kPrefix = 10;
  while ((kPrefix + header.size() + 1) % kAlignment != 0) header += ' ';
  header += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += '\x01';
  bytes += '\0';
  bytes += static_cast<char>(header.size() % 256);
  bytes += static_cast<char>(header.size() / 256);
  return bytes + header + values;
}

template <class Value>
std::string BytesOf(std::span<const Value> values) {
  std::string bytes(values.size_bytes(), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class Value>
std::string BytesOf(std::initializer_list<Value> values) {
  return BytesOf(std::span<const Value>(values.begin(), values.size()));
}

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_NPY_BYTES_H_
