#ifndef MANYARMS_BANDIT_CHECKED_FILE_H_
#define MANYARMS_BANDIT_CHECKED_FILE_H_

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <istream>
#include <type_traits>

#include "base/bytes.h"
#include "manyarms/error.h"

/// What all saved files have in common: they begin with a magic word and the
/// number of their format, and end with a checksum.
namespace manyarms {

using MagicWord = std::array<char, 8>;

/// Checks the magic word and the checksum, and returns a reader for what lies
/// between them. The stream must be seekable, because it is read twice. Throws
/// Error(kIo) or Error(kCorrupt).
ByteReader CheckedReader(std::istream& in, const MagicWord& magic);

/// Reads the number of the format. Throws Error(kUnsupported) for one beyond
/// `newest`.
std::uint32_t ReadFormat(ByteReader& reader, std::uint32_t newest);

/// For errors that occur while a file is read. Those about options and arms
/// come from values that no writer can have had, and become Error(kCorrupt).
[[noreturn]] void RethrowAsCorrupt(const Error& error);

/// Opens a regular file. Throws FileError.
std::ifstream OpenToRead(const std::filesystem::path& path);

/// The error with the path before its message.
[[noreturn]] void FailWithPath(const Error& error,
                               const std::filesystem::path& path);

/// Reads a file with `load`, which takes a stream. Messages of its errors name
/// the file.
template <class Load>
std::invoke_result_t<Load, std::istream&> ReadWhole(
    const std::filesystem::path& path, const Load& load) {
  std::ifstream in = OpenToRead(path);
  try {
    return load(in);
  } catch (const Error& error) {
    FailWithPath(error, path);
  }
}

}  // namespace manyarms

#endif  // MANYARMS_BANDIT_CHECKED_FILE_H_
