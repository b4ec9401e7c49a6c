#include "service/sql/former_writer.h"

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace manyarms::sql {
namespace {

namespace fs = std::filesystem;

// The kernel's list has inodes, which are unique on one device only, and
// devices of layered file systems under other numbers. So the process must
// also have the file open.
bool HasOpen(pid_t process, const std::string& file) {
  std::error_code error;
  const fs::path files = "/proc/" + std::to_string(process) + "/fd";
  for (fs::directory_iterator entry(files, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    if (fs::read_symlink(entry->path(), gone) == file) return true;
  }
  return false;
}

}  // namespace

std::optional<pid_t> HolderOf(const std::string& lock_file) {
  struct stat status {};
  if (stat(lock_file.c_str(), &status) != 0) return std::nullopt;
  const std::string inode = ':' + std::to_string(status.st_ino);
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number;
    std::string kind;
    std::string strictness;
    std::string access;
    std::string place;
    pid_t process = 0;
    words >> number >> kind >> strictness >> access >> process >> place;
    if (!words || kind != "FLOCK" || !place.ends_with(inode)) continue;
    if (process <= 0 || process == getpid()) continue;
    if (HasOpen(process, lock_file)) return process;
  }
  return std::nullopt;
}

bool EndHolderOf(const std::string& lock_file) {
  const std::optional<pid_t> holder = HolderOf(lock_file);
  return holder && kill(*holder, SIGKILL) == 0;
}

}  // namespace manyarms::sql
