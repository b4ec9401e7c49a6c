#include "bandit/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "manyarms/error.h"

namespace manyarms {
namespace {

[[noreturn]] void Fail(const std::filesystem::path& path, int error) {
  throw Error(ErrorCode::kIo, fmt::format("cannot write {}: {}", path.string(),
                                          std::strerror(error)));
}

// Beside the file, so that it can be renamed to it, under a name that nobody
// else uses at the same time.
std::filesystem::path TemporaryFor(const std::filesystem::path& path) {
  static std::atomic<unsigned> count = 0;
  std::filesystem::path temporary = path;
  temporary += fmt::format(".{}-{}.tmp", getpid(), count++);
  return temporary;
}

// To the disk: of a file its contents, of a folder its names.
int Sync(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const int error = fsync(file) == 0 ? 0 : errno;
  close(file);
  return error;
}

class RemovedUnlessRenamed {
 public:
  explicit RemovedUnlessRenamed(const std::filesystem::path& path)
      : path_(path) {}
  ~RemovedUnlessRenamed() {
    std::error_code ignored;
    if (!renamed_) std::filesystem::remove(path_, ignored);
  }
  RemovedUnlessRenamed(const RemovedUnlessRenamed&) = delete;
  RemovedUnlessRenamed& operator=(const RemovedUnlessRenamed&) = delete;

  void RenameTo(const std::filesystem::path& path) {
    std::error_code error;
    std::filesystem::rename(path_, path, error);
    if (error) Fail(path, error.value());
    renamed_ = true;
  }

 private:
  const std::filesystem::path& path_;
  bool renamed_ = false;
};

}  // namespace

void WriteWhole(const std::filesystem::path& path,
                const std::function<void(std::ostream&)>& write) {
  const std::filesystem::path temporary = TemporaryFor(path);
  errno = 0;
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  if (!out) Fail(path, errno);
  RemovedUnlessRenamed file(temporary);
  write(out);
  out.close();
  if (!out) Fail(path, errno != 0 ? errno : EIO);
  if (const int error = Sync(temporary)) Fail(path, error);
  file.RenameTo(path);
  const std::filesystem::path folder = path.parent_path();
  // The file is there; whether its name survives a power cut is all that is
  // left, and some file systems cannot say.
  Sync(folder.empty() ? "." : folder);
}

}  // namespace manyarms
