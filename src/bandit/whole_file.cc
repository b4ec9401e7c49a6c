#include "bandit/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "manyarms/error.h"

namespace manyarms {
namespace {

[[noreturn]] void Fail(const std::filesystem::path& path, int error) {
  throw Error(ErrorCode::kIo,
              fmt::format("cannot write {}: {}", path.string(),
                          std::generic_category().message(error)));
}

// Beside the file, so that it can be renamed to it, under a name that nobody
// else has. It may be read by whoever may read the file that it replaces.
std::filesystem::path MakeTemporary(const std::filesystem::path& path) {
  std::string name = path.string() + ".XXXXXX";
  const int file = mkstemp(name.data());
  if (file < 0) Fail(path, errno);
  struct stat before = {};
  if (stat(path.c_str(), &before) != 0) {
    const mode_t mask = umask(0);
    umask(mask);
    before.st_mode = 0666 & ~mask;
  }
  fchmod(file, before.st_mode & 0777);
  close(file);
  return name;
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
  const std::filesystem::path temporary = MakeTemporary(path);
  RemovedUnlessRenamed file(temporary);
  errno = 0;
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  if (!out) Fail(path, errno);
  try {
    write(out);
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{}: {}", path.string(), error.what()));
  }
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
