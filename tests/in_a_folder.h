#ifndef MANYARMS_TESTS_IN_A_FOLDER_H_
#define MANYARMS_TESTS_IN_A_FOLDER_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace manyarms::testing {

/// A test with its own folder, which is deleted after the test. It has a name
/// that no other folder has: tests run in parallel, each in its own process,
/// and one that was killed leaves its folder behind.
class InAFolder : public ::testing::Test {
 protected:
  InAFolder() : folder_(NewFolder()) {}
  ~InAFolder() override { std::filesystem::remove_all(folder_); }

  const std::filesystem::path folder_;

 private:
  static std::string NewFolder() {
    std::string name = ::testing::TempDir() + "manyarms-test-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error(name);
    return name;
  }
};

}  // namespace manyarms::testing

#endif  // MANYARMS_TESTS_IN_A_FOLDER_H_
