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

/// How objects are written to a stream and read back: the bytes of plain
/// values, one after another, little-endian. Both classes have the same
/// Transfer, so that one function can serve for writing and reading.
namespace manyarms {

static_assert(std::endian::native == std::endian::little,
              "saved files are little-endian");

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// CRC-32 of bytes that follow those of `before`. Finds any error within 32
/// bits that lie together, whatever the length.
std::uint32_t Checksum(std::span<const std::byte> bytes,
                       std::uint32_t before = 0);

/// Keeps the checksum of all that it has written.
class ByteWriter {
 public:
  explicit ByteWriter(std::ostream& out) : out_(out) {}

  template <Plain T>
  void Transfer(const T& value) {
    Values(std::span(&value, 1));
  }

  /// Without their number.
  template <Plain T>
  void Values(std::span<const T> values) {
    Write(std::as_bytes(values));
  }

  /// With their number.
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

/// Whatever the stream holds, reading it ends with the values or with
/// Error(kCorrupt), and no count is believed without the bytes for it.
class ByteReader {
 public:
  /// `bytes`: how many there are to be read.
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

  /// A number of things that take so many bytes each, at least.
  std::size_t Count(std::size_t bytes_each);

  std::uint64_t left() const { return left_; }

  void Bytes(std::span<std::byte> bytes);

 private:
  std::istream& in_;
  std::uint64_t left_;
};

/// For readers that find what no writer has written.
[[noreturn]] void FailCorrupt(const char* what);
inline void CheckSaved(bool holds, const char* what) {
  if (!holds) FailCorrupt(what);
}

}  // namespace manyarms

#endif  // MANYARMS_BASE_BYTES_H_
