// Draws figures by running gnuplot once for all of them.

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "manyarms/error.h"
#include "reproduction/figures.h"

namespace manyarms::reproduction {
namespace {

namespace fs = std::filesystem;

// A folder that is deleted when the object goes out of scope.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern =
        (fs::temp_directory_path() / "manyarms-plots.XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      throw Error(ErrorCode::kIo,
                  fmt::format("cannot make a temporary folder {}", pattern));
    }
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string ReadText(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Returns the error message, or an empty string on success.
std::string RunGnuplot(const fs::path& script, const fs::path& messages) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages.c_str(),
                                   O_WRONLY | O_CREAT, 0600);
  std::string name = "gnuplot";
  std::string file = script.string();
  std::string defaults = "-d";  // ignore the user's ~/.gnuplot
  const std::array<char*, 4> arguments = {name.data(), defaults.data(),
                                          file.data(), nullptr};
  pid_t child = 0;
  const int failure = posix_spawnp(&child, "gnuplot", &actions, nullptr,
                                   arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) {
    return fmt::format("{}; Debian's package is gnuplot-nox",
                       std::generic_category().message(failure));
  }
  int status = 0;
  const bool ended = waitpid(child, &status, 0) == child;
  if (ended && WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  return "its message is: " + ReadText(messages);
}

template <class Visit>
void ForEachFigure(Report& report, const Visit& visit) {
  for (Section& section : report.sections) {
    for (Block& block : section.blocks) {
      for (Figure& figure : block.figures) visit(figure);
    }
  }
}

}  // namespace

void Draw(Report& report) {
  const TemporaryFolder folder;
  const auto svg_of = [&folder](const Figure& figure) {
    return folder.path() / (figure.name + ".svg");
  };
  std::ofstream script(folder.path() / "script");
  ForEachFigure(report, [&](const Figure& figure) {
    if (figure.script.empty()) return;
    script << "reset\nset terminal svg size 560,400 dynamic font "
              "'sans-serif,14' background rgb 'white'\nset output '"
           << svg_of(figure).string() << "'\n"
           << figure.script << "unset output\n";
  });
  script.close();
  if (!script) {
    throw Error(ErrorCode::kIo,
                fmt::format("cannot write to {}", folder.path().string()));
  }
  const std::string failure =
      RunGnuplot(folder.path() / "script", folder.path() / "messages");
  if (!failure.empty()) {
    throw Error(ErrorCode::kIo,
                fmt::format("gnuplot cannot draw: {}", failure));
  }
  ForEachFigure(report, [&](Figure& figure) {
    figure.svg = ReadText(svg_of(figure));
    if (figure.svg.find("</svg>") == std::string::npos) {
      throw Error(ErrorCode::kIo,
                  fmt::format("gnuplot has not drawn {}", figure.name));
    }
  });
}

void RequireGnuplot() {
  Report nothing;
  Draw(nothing);
}

}  // namespace manyarms::reproduction
