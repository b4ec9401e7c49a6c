#include "log/log_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "manyarms/error.h"
#include "manyarms/logged_event.h"

namespace manyarms {

LogFile::LogFile(const std::filesystem::path& path, bool must_be_new)
    : path_(path) {
  std::error_code error;
  const std::filesystem::file_status status =
      std::filesystem::status(path, error);
  // What is not a regular file, such as a pipe, may not be readable.
  is_regular_ = status.type() == std::filesystem::file_type::not_found ||
                std::filesystem::is_regular_file(status);
  const int flags = (is_regular_ ? O_RDWR | O_CREAT : O_WRONLY) | O_APPEND |
                    O_CLOEXEC | (must_be_new ? O_CREAT | O_EXCL : 0);
  file_ = open(path.c_str(), flags, 0666);
  if (file_ < 0) Fail(errno);
  if (is_regular_ && flock(file_, LOCK_EX | LOCK_NB) != 0 &&
      errno == EWOULDBLOCK) {
    close(std::exchange(file_, -1));
    throw FileError("cannot write", path_, EWOULDBLOCK,
                    "another writer has it open");
  }
}

LogFile::~LogFile() {
  if (file_ >= 0) close(file_);
}

LogFile::LogFile(LogFile&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      is_regular_(other.is_regular_),
      rest_(other.rest_) {}

LogFile& LogFile::operator=(LogFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  std::swap(is_regular_, other.is_regular_);
  std::swap(rest_, other.rest_);
  return *this;
}

void LogFile::Fail(int error) const {
  throw FileError("cannot write", path_, error);
}

std::uint64_t LogFile::Size() const {
  struct stat status = {};
  if (fstat(file_, &status) != 0) Fail(errno);
  return is_regular_ ? static_cast<std::uint64_t>(status.st_size) : 0;
}

std::string LogFile::Beginning(std::size_t count) const {
  std::string text(count, '\0');
  const ssize_t got = pread(file_, text.data(), count, 0);
  if (got < 0) Fail(errno);
  text.resize(static_cast<std::size_t>(got));
  return text;
}

void LogFile::Truncate(std::uint64_t size) {
  if (ftruncate(file_, static_cast<off_t>(size)) != 0) Fail(errno);
}

void LogFile::CutTornLine() {
  const std::uint64_t size = Size();
  std::string tail(std::min<std::uint64_t>(size, kMaxLogLine + 1), '\0');
  const ssize_t got = pread(file_, tail.data(), tail.size(),
                            static_cast<off_t>(size - tail.size()));
  if (got < 0) Fail(errno);
  tail.resize(static_cast<std::size_t>(got));
  const std::size_t end = tail.rfind('\n');
  if (end == tail.npos) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{}: the last line is longer than {} bytes",
                            path_.string(), kMaxLogLine));
  }
  if (end + 1 < tail.size()) Truncate(size - (tail.size() - end - 1));
}

void LogFile::CutRest() {
  if (rest_ == 0) return;
  Truncate(Size() - rest_);
  rest_ = 0;
}

void LogFile::Append(std::string_view line) {
  CutRest();
  std::string_view left = line;
  while (!left.empty()) {
    const ssize_t written = write(file_, left.data(), left.size());
    if (written >= 0) {
      left.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    const int error = errno;
    if (error == EINTR) continue;
    rest_ = line.size() - left.size();
    if (is_regular_) {
      try {
        CutRest();
      } catch (const Error&) {  // NOLINT(bugprone-empty-catch): tried again
      }
    }
    Fail(error);
  }
}

void LogFile::Sync() {
  // Pipes and the like cannot be synchronised, and need not.
  if (is_regular_ && fsync(file_) != 0) Fail(errno);
}

}  // namespace manyarms
