#include "bandit/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <random>
#include <system_error>

#include "manyarms/error.h"

namespace manyarms {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void Fail(const fs::path& path, int error) {
  throw FileError("cannot write", path, error);
}

// Where the links at the end of a path lead, whether or not there is a file
// yet: a link stays a link. Links among its folders are left to the system.
fs::path FollowLinks(const fs::path& path) {
  constexpr int kMostLinks = 40;  // as many as Linux follows
  fs::path end = path;
  for (int i = 0; i <= kMostLinks; ++i) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(end, error))) return end;
    const fs::path target = fs::read_symlink(end, error);
    if (error) Fail(path, error.value());
    end = end.parent_path() / target;  // an absolute target replaces the rest
  }
  Fail(path, ELOOP);
}

// Where the new file goes. What is neither a file nor missing is not replaced
// by a file.
fs::path Destination(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() != fs::file_type::not_found) {
    if (error) Fail(path, error.value());
    if (fs::is_directory(status)) Fail(path, EISDIR);
    if (!fs::is_regular_file(status)) Fail(path, EINVAL);
  }
  return FollowLinks(path);
}

// Beside the file, so that it can be renamed to it, under a name that nobody
// else has. It may be read by whoever may read the file that it replaces; of a
// new one the system decides. (mkstemp leaves that to the caller, who would
// have to ask for the umask, which can only be done by changing it for all
// threads.)
fs::path MakeTemporary(const fs::path& path, const fs::path& given) {
  constexpr std::size_t kLongest = 200;  // so that the longer name is one, too
  const std::string stem = path.filename().string().substr(0, kLongest);
  std::random_device random;
  for (;;) {
    fs::path name =
        path.parent_path() / fmt::format("{}.{:08x}", stem, random());
    const int file =
        open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST) continue;
    if (file < 0) Fail(given, errno);
    struct stat before = {};
    if (stat(path.c_str(), &before) == 0) fchmod(file, before.st_mode & 0777);
    close(file);
    return name;
  }
}

// To the disk: of a file its contents, of a folder its names.
int Sync(const fs::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const int error = fsync(file) == 0 ? 0 : errno;
  close(file);
  return error;
}

class RemovedUnlessRenamed {
 public:
  explicit RemovedUnlessRenamed(const fs::path& path) : path_(path) {}
  ~RemovedUnlessRenamed() {
    std::error_code ignored;
    if (!renamed_) fs::remove(path_, ignored);
  }
  RemovedUnlessRenamed(const RemovedUnlessRenamed&) = delete;
  RemovedUnlessRenamed& operator=(const RemovedUnlessRenamed&) = delete;

  std::error_code RenameTo(const fs::path& path) {
    std::error_code error;
    fs::rename(path_, path, error);
    renamed_ = !error;
    return error;
  }

 private:
  const fs::path& path_;
  bool renamed_ = false;
};

}  // namespace

void WriteWhole(const fs::path& path,
                const std::function<void(std::ostream&)>& write) {
  const fs::path destination = Destination(path);
  const fs::path temporary = MakeTemporary(destination, path);
  RemovedUnlessRenamed file(temporary);
  errno = 0;
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  if (!out) Fail(path, errno);
  write(out);
  out.close();
  if (!out) Fail(path, errno != 0 ? errno : EIO);
  if (const int error = Sync(temporary)) Fail(path, error);
  if (const auto error = file.RenameTo(destination)) Fail(path, error.value());
  const fs::path folder = destination.parent_path();
  // The file is there; whether its name survives a power cut is all that is
  // left, and some file systems cannot say.
  Sync(folder.empty() ? "." : folder);
}

}  // namespace manyarms
