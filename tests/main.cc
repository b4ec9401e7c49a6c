// The main function of all test programs. It tells a reader how to repeat a
// test that failed.

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <string>

namespace {

// The variables that change what a test does, as a shell would set them.
std::string Settings() {
  std::string settings;
  for (const char* name : std::array{"RC_PARAMS", "TSAN_OPTIONS"}) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    if (value == nullptr) continue;
    settings += std::string(name) + "='" + value + "' ";
  }
  return settings;
}

class HowToRepeat : public ::testing::EmptyTestEventListener {
 public:
  explicit HowToRepeat(std::string program) : program_(std::move(program)) {}

  void OnTestEnd(const ::testing::TestInfo& test) override {
    if (!test.result()->Failed()) return;
    std::cout << "To repeat it: " << Settings() << program_
              << " --gtest_filter='" << test.test_suite_name() << '.'
              << test.name() << "'\n";
  }

 private:
  const std::string program_;
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  // GoogleTest owns its listeners.
  ::testing::UnitTest::GetInstance()->listeners().Append(
      new HowToRepeat(argv[0]));
  return RUN_ALL_TESTS();
}
