#ifndef MANYARMS_BASE_BYTES_H_
#define MANYARMS_BASE_BYTES_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <ostream>
#include <span>
#include <type_traits>
#include <vector>

/// Writes plain values to a stream, one after another, little-endian, and reads
/// them back. Reader and writer both have a method Transfer, so that one
/// template function can both save and load an object.
namespace manyarms {

static_assert(std::endian::native == std::endian::little,
              "saved files are little-endian");

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// The CRC-32 of `bytes`, continuing from `before`, the checksum of the bytes
/// that precede them. Detects any single burst of errors of up to 32 bits.
std::uint32_t Checksum(std::span<const std::byte> bytes,
                       std::uint32_t before = 0);

/// Writes values and keeps the checksum of all bytes written.
class ByteWriter {
 public:
  explicit ByteWriter(std::ostream& out) : out_(out) {}

  template <Plain T>
  void Transfer(const T& value) {
    Values(std::span(&value, 1));
  }

  /// Writes the values without their number.
  template <Plain T>
  void Values(std::span<const T> values) {
    Write(std::as_bytes(values));
  }

  /// Writes the number of values first.
  template <Plain T>
  void Transfer(const std::vector<T>& values) {
    Transfer(std::uint64_t{values.size()});
    Values(std::span<const T>(values));
  }

  std::uint32_t checksum() const { return checksum_; }

 private:
  void Write(std::span<const std::byte> bytes);

  std::ostream& out_;
  std::uint32_t checksum_ = 0;
};

/// Reads values, or throws Error(kCorrupt), whatever the stream contains. A
/// count is compared with the bytes left before memory is taken for it.
class ByteReader {
 public:
  /// `bytes` is the number of bytes that may be read.
  ByteReader(std::istream& in, std::uint64_t bytes) : in_(in), left_(bytes) {}

  template <Plain T>
  void Transfer(T& value) {
    Values(std::span(&value, 1));
  }

  /// A bool that holds any other byte than 0 or 1 is undefined behaviour.
  void Transfer(bool& value);

  template <Plain T>
  void Values(std::span<T> values) {
    Bytes(std::as_writable_bytes(values));
  }

  template <Plain T>
  void Transfer(std::vector<T>& values) {
    values.resize(Count(sizeof(T)));
    Values(std::span(values));
  }

  template <Plain T>
  T Next() {
    T value{};
    Transfer(value);
    return value;
  }

  /// Reads the number of items that follow, each of at least `bytes_each`
  /// bytes; fails if fewer bytes are left.
  std::size_t Count(std::size_t bytes_each);

  std::uint64_t left() const { return left_; }

  void Bytes(std::span<std::byte> bytes);

 private:
  std::istream& in_;
  std::uint64_t left_;
};

/// Throws Error(kCorrupt) for data that no writer can have written.
[[noreturn]] void FailCorrupt(const char* what);
inline void CheckSaved(bool holds, const char* what) {
  if (!holds) FailCorrupt(what);
}

}  // namespace manyarms

#endif  // MANYARMS_BASE_BYTES_H_
