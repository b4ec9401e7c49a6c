#ifndef MANYARMS_LOG_LOG_FILE_H_
#define MANYARMS_LOG_LOG_FILE_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace manyarms {

/// A file that grows by whole lines. It is locked, so that it has one writer at
/// a time. All methods throw FileError.
class LogFile {
 public:
  /// Opens a file or makes one. `must_be_new`: only makes one.
  LogFile(const std::filesystem::path& path, bool must_be_new);
  ~LogFile();
  LogFile(LogFile&&) noexcept;
  LogFile& operator=(LogFile&&) noexcept;

  /// 0 for what is not a regular file.
  std::uint64_t Size() const;

  /// The first bytes, at most `count`.
  std::string Beginning(std::size_t count) const;

  void Clear() { Truncate(0); }

  /// Cuts off what follows the last end of a line. Throws Error(kCorrupt) if
  /// that is more than a line can have.
  void CutTornLine();

  /// Writes all of a line, or none if it throws. If not even that can be
  /// ensured, because what was written cannot be cut off, later calls try that
  /// again first.
  void Append(std::string_view line);

  void Sync();

 private:
  [[noreturn]] void Fail(int error) const;
  void Truncate(std::uint64_t size);
  void CutRest();

  std::filesystem::path path_;
  int file_ = -1;
  bool is_regular_ = false;
  std::uint64_t rest_ = 0;  // bytes of a line that was not written whole
};

}  // namespace manyarms

#endif  // MANYARMS_LOG_LOG_FILE_H_
