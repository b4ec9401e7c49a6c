#include "base/bytes.h"

#include <fmt/format.h>
#include <zlib.h>

#include "manyarms/error.h"

namespace manyarms {

std::uint32_t Checksum(std::span<const std::byte> bytes, std::uint32_t before) {
  return static_cast<std::uint32_t>(crc32_z(
      before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

void ByteWriter::Write(std::span<const std::byte> bytes) {
  // An empty span may have a null pointer, for which zlib would restart the
  // checksum.
  if (bytes.empty()) return;
  checksum_ = Checksum(bytes, checksum_);
  out_.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

void ByteReader::Bytes(std::span<std::byte> bytes) {
  if (bytes.empty()) return;
  CheckSaved(bytes.size() <= left_, "it ends too early");
  in_.read(reinterpret_cast<char*>(bytes.data()),
           static_cast<std::streamsize>(bytes.size()));
  CheckSaved(static_cast<bool>(in_), "it ends too early");
  left_ -= bytes.size();
}

void ByteReader::Transfer(bool& value) {
  const auto byte = Next<std::uint8_t>();
  CheckSaved(byte <= 1, "it has a truth value that is neither 0 nor 1");
  value = byte == 1;
}

std::size_t ByteReader::Count(std::size_t bytes_each) {
  const auto count = Next<std::uint64_t>();
  CheckSaved(count <= left_ / bytes_each, "it ends too early");
  return count;
}

void FailCorrupt(const char* what) {
  throw Error(ErrorCode::kCorrupt,
              fmt::format("this is not a whole saved bandit, population or "
                          "learner: {}",
                          what));
}

}  // namespace manyarms
