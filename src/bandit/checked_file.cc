#include "bandit/checked_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

namespace manyarms {

ByteReader CheckedReader(std::istream& in, const MagicWord& magic) {
  constexpr std::uint64_t kChecksum = sizeof(std::uint32_t);
  const std::istream::pos_type start = in.tellg();
  in.seekg(0, std::ios::end);
  const auto size = static_cast<std::uint64_t>(in.tellg() - start);
  in.seekg(start);
  if (!in) throw Error(ErrorCode::kIo, "cannot read the stream");
  CheckSaved(size >= magic.size() + sizeof(std::uint32_t) + kChecksum,
             "it ends too early");

  ByteReader whole(in, size);
  MagicWord word{};
  whole.Values(std::span<char>(word));
  CheckSaved(word == magic, "it does not begin like one");
  std::uint32_t checksum = Checksum(std::as_bytes(std::span(word)));
  std::vector<std::byte> buffer(static_cast<std::size_t>(
      std::min<std::uint64_t>(size, std::uint64_t{1} << 20)));
  while (whole.left() > kChecksum) {
    const auto part = std::span(buffer).first(static_cast<std::size_t>(
        std::min<std::uint64_t>(buffer.size(), whole.left() - kChecksum)));
    whole.Bytes(part);
    checksum = Checksum(part, checksum);
  }
  CheckSaved(whole.Next<std::uint32_t>() == checksum,
             "its checksum is wrong, so it has been damaged or cut short");

  in.seekg(start + static_cast<std::streamoff>(magic.size()));
  return {in, size - magic.size() - kChecksum};
}

std::uint32_t ReadFormat(ByteReader& reader, std::uint32_t newest) {
  const auto format = reader.Next<std::uint32_t>();
  CheckSaved(format > 0, "there is no format 0");
  if (format > newest) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("it has format {}, this version of manyarms reads "
                            "formats up to {}",
                            format, newest));
  }
  return format;
}

void RethrowAsCorrupt(const Error& error) {
  if (error.code() == ErrorCode::kCorrupt ||
      error.code() == ErrorCode::kTooLarge) {
    throw;
  }
  FailCorrupt(error.what());
}

std::ifstream OpenToRead(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) throw FileError("cannot read", path, EISDIR);
  // This must be checked before opening, which would wait for a pipe's other
  // end.
  if (fs::is_other(status)) {
    throw FileError("cannot read", path, EINVAL, "it is not a regular file");
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw FileError("cannot read", path, errno != 0 ? errno : EIO);
  return in;
}

void FailWithPath(const Error& error, const std::filesystem::path& path) {
  throw Error(error.code(), fmt::format("{}: {}", path.string(), error.what()));
}

}  // namespace manyarms
