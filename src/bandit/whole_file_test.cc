#include "bandit/whole_file.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "in_a_folder.h"

namespace manyarms {
namespace {

namespace fs = std::filesystem;

class WholeFile : public testing::InAFolder {
 protected:
  void Write(const std::string& text) const {
    WriteWhole(path_, [&](std::ostream& out) { out << text; });
  }

  // Writes large files one after another, until the process is killed.
  void WriteForEver() const {
    const std::string part(100'000, 'x');
    for (;;) {
      WriteWhole(path_, [&](std::ostream& out) {
        for (int i = 0; i < 20; ++i) out << part << std::flush;
      });
    }
  }

  std::string Text() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  const fs::path path_ = folder_ / "file";
};

using OnlyTheFile = std::vector<std::string>;

TEST_F(WholeFile, LeavesNothingOfWritersThatWereKilled) {
  int interrupted = 0;
  for (int round = 0; round < 40; ++round) {
    const pid_t writer = fork();
    ASSERT_GE(writer, 0);
    if (writer == 0) WriteForEver();
    std::this_thread::sleep_for(std::chrono::microseconds(500 * round));
    kill(writer, SIGKILL);
    waitpid(writer, nullptr, 0);
    if (Names().size() > 1) ++interrupted;
  }
  // Otherwise this test shows nothing.
  EXPECT_GT(interrupted, 0);
  Write("the end");
  EXPECT_EQ(Names(), OnlyTheFile{"file"});
  EXPECT_EQ(Text(), "the end");
}

TEST_F(WholeFile, LeavesFilesOfLivingWritersAlone) {
  WriteWhole(path_, [&](std::ostream& outer) {
    outer << "outer" << std::flush;
    // The same thread, another thread and another process.
    Write("inner");
    std::thread([this] { Write("thread"); }).join();
    const pid_t writer = fork();
    ASSERT_GE(writer, 0);
    if (writer == 0) {
      Write("process");
      _exit(0);
    }
    int status = -1;
    waitpid(writer, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(Text(), "process");
    EXPECT_EQ(Names().size(), 2U);
  });
  EXPECT_EQ(Text(), "outer");
  EXPECT_EQ(Names(), OnlyTheFile{"file"});
}

TEST_F(WholeFile, MayBeWrittenByManyAtOnce) {
  // A writer that loses its file to another throws, which ends its process.
  std::vector<pid_t> writers;
  for (int i = 0; i < 3; ++i) {
    const pid_t writer = fork();
    ASSERT_GE(writer, 0);
    if (writer == 0) {
      std::vector<std::thread> threads;
      threads.reserve(3);
      for (int thread = 0; thread < 3; ++thread) {
        threads.emplace_back([this] {
          for (int round = 0; round < 60; ++round) Write("whole");
        });
      }
      for (std::thread& thread : threads) thread.join();
      _exit(0);
    }
    writers.push_back(writer);
  }
  for (const pid_t writer : writers) {
    int status = -1;
    waitpid(writer, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(Text(), "whole");
  EXPECT_EQ(Names(), OnlyTheFile{"file"});
}

TEST_F(WholeFile, LeavesWhatOnlyLooksLikeItsOwnAlone) {
  const std::vector<std::string> others = {
      "file.20240131",
      "file.0123456789abcdef",
      "file.0123456789abcdef.manyarms-tmp~",
      "file.0123456789ABCDEF.manyarms-tmp",
      "file.manyarms-tmp",
      "other.0123456789abcdef.manyarms-tmp",
      "file.more.0123456789abcdef.manyarms-tmp"};
  for (const std::string& name : others) std::ofstream(folder_ / name) << "x";
  std::ofstream(folder_ / "file.0123456789abcdef.manyarms-tmp") << "x";
  Write("text");
  EXPECT_EQ(Names().size(), others.size() + 1);
  for (const std::string& name : others) {
    EXPECT_TRUE(fs::exists(folder_ / name)) << name;
  }
}

}  // namespace
}  // namespace manyarms
