#include "bandit/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <random>
#include <string_view>
#include <system_error>
#include <utility>

#include "manyarms/error.h"

namespace manyarms {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void Fail(const fs::path& path, int error) {
  throw FileError("cannot write", path, error);
}

// Follows the links at the end of a path, whether or not there is a file yet,
// so that a link is not replaced by a file. The system follows links among the
// folders.
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

// The path of the new file. Throws if there is something other than a regular
// file.
fs::path Destination(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() != fs::file_type::not_found) {
    if (error) Fail(path, error.value());
    if (fs::is_directory(status)) Fail(path, EISDIR);
    if (!fs::is_regular_file(status)) {
      throw FileError("cannot write", path, EINVAL, "it is not a regular file");
    }
  }
  return FollowLinks(path);
}

fs::path FolderOf(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

// An open file or folder. Closing it releases its lock.
class OpenFile {
 public:
  OpenFile() = default;
  OpenFile(const fs::path& path, int flags, mode_t mode = 0)
      : number_(open(path.c_str(), flags | O_CLOEXEC, mode)),
        error_(number_ < 0 ? errno : 0) {}
  OpenFile(OpenFile&& other) noexcept
      : number_(std::exchange(other.number_, -1)), error_(other.error_) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(number_, other.number_);
    std::swap(error_, other.error_);
    return *this;
  }
  ~OpenFile() {
    if (number_ >= 0) close(number_);
  }

  explicit operator bool() const { return number_ >= 0; }

  // The errno of a failed attempt to open it.
  int error() const { return error_; }

  // Writes the contents of a file, or the names in a folder, to the disk.
  // Returns errno, or 0.
  int Sync() const { return fsync(number_) == 0 ? 0 : errno; }

  void SetMode(mode_t mode) const { fchmod(number_, mode); }

  // Takes the lock unless another open file has it, in this process or in
  // another. Returns errno, or 0.
  int Lock() const {
    return flock(number_, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  }

 private:
  int number_ = -1;
  int error_ = 0;
};

// The name of a temporary file is that of its target (cut if it is very long),
// a dot, a random number and an ending that users' files do not have.
constexpr std::string_view kEnding = ".manyarms-tmp";
constexpr std::size_t kDigits = 16;

std::string Stem(const fs::path& target) {
  constexpr std::size_t kLongest = 200;
  return target.filename().string().substr(0, kLongest) + '.';
}

bool IsTemporary(std::string_view name, std::string_view stem) {
  return name.size() == stem.size() + kDigits + kEnding.size() &&
         name.starts_with(stem) && name.ends_with(kEnding) &&
         name.substr(stem.size(), kDigits)
                 .find_first_not_of("0123456789abcdef") == name.npos;
}

// Removes the temporary files that killed writers to the same target have left.
// A writer holds a lock on its file, which ends with its process, so a file
// that can be locked has no writer any more. If this fails, a file is left for
// the next save to remove.
void RemoveLeftovers(const fs::path& target) {
  const std::string stem = Stem(target);
  std::error_code error;
  fs::directory_iterator entry(FolderOf(target), error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const fs::path& path = entry->path();
    if (!IsTemporary(path.filename().string(), stem)) continue;
    OpenFile file(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    // (Network file systems want a writable file for a lock, others do not.)
    if (!file) file = OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    // If the writer has renamed the file meanwhile, nothing is removed: no name
    // is used twice.
    if (file && file.Lock() == 0) unlink(path.c_str());
  }
}

// A new, locked file with a unique name in the folder of its target, so that it
// can be renamed to the target. The destructor removes it unless it was
// renamed. It has the permissions of the file that it replaces, or those that
// the system gives a new file. (mkstemp would leave permissions to the caller,
// who can read the umask only by changing it for all threads.)
class TemporaryFile {
 public:
  // `given` is the path that errors name.
  TemporaryFile(const fs::path& target, const fs::path& given) {
    const std::string stem = Stem(target);
    std::random_device random;
    do {
      path_ = FolderOf(target) / fmt::format("{}{:08x}{:08x}{}", stem, random(),
                                             random(), kEnding);
      file_ = OpenFile(path_, O_CREAT | O_EXCL | O_WRONLY, 0666);
      if (!file_ && file_.error() != EEXIST) Fail(given, file_.error());
    } while (!file_ || !Claim());
    struct stat before = {};
    if (stat(target.c_str(), &before) == 0) {
      file_.SetMode(before.st_mode & 0777);
    }
  }
  ~TemporaryFile() {
    if (!renamed_) unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const fs::path& path() const { return path_; }

  int Sync() const { return file_.Sync(); }

  std::error_code RenameTo(const fs::path& path) {
    std::error_code error;
    fs::rename(path_, path, error);
    renamed_ = !error;
    return error;
  }

 private:
  // Locks the file. Another writer may have found it before that; then it is or
  // will be removed, and Claim returns false. Where locks are not supported,
  // nobody removes anything.
  bool Claim() const {
    const bool taken = file_.Lock() == EWOULDBLOCK;
    if (taken) unlink(path_.c_str());
    std::error_code ignored;
    return !taken && fs::exists(path_, ignored);
  }

  fs::path path_;
  OpenFile file_;
  bool renamed_ = false;
};

}  // namespace

void WriteWhole(const fs::path& path,
                const std::function<void(std::ostream&)>& write) {
  const fs::path destination = Destination(path);
  RemoveLeftovers(destination);
  TemporaryFile file(destination, path);
  errno = 0;
  std::ofstream out(file.path(), std::ios::binary | std::ios::trunc);
  if (!out) Fail(path, errno);
  write(out);
  out.close();
  if (!out) Fail(path, errno != 0 ? errno : EIO);
  if (const int error = file.Sync()) Fail(path, error);
  if (const auto error = file.RenameTo(destination)) Fail(path, error.value());
  // This makes the new name survive a power cut. Errors are ignored: the file
  // is complete, and some file systems do not support this.
  OpenFile(FolderOf(destination), O_RDONLY).Sync();
}

}  // namespace manyarms
