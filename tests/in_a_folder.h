#ifndef MANYARMS_TESTS_IN_A_FOLDER_H_
#define MANYARMS_TESTS_IN_A_FOLDER_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace manyarms::testing {

/// A test with its own folder, which is deleted after the test. Folders are
/// named by process id, because ctest runs tests in parallel, each in its own
/// process.
class InAFolder : public ::testing::Test {
 protected:
  InAFolder()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                ("manyarms-test-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~InAFolder() override { std::filesystem::remove_all(folder_); }

  const std::filesystem::path folder_;
};

}  // namespace manyarms::testing

#endif  // MANYARMS_TESTS_IN_A_FOLDER_H_
