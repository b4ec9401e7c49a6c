// The main function of all test programs. It tells a reader how to repeat a
// test that failed.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

namespace {

// NOLINTBEGIN(concurrency-mt-unsafe): no other threads run at these moments.
std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// RapidCheck would draw its own seed. This program draws it, so that it can
// print the seed of a test that failed.
void FixSeed() {
  std::string settings = Variable("RC_PARAMS");
  if (settings.find("seed=") != std::string::npos) return;
  if (!settings.empty()) settings += ' ';
  settings += fmt::format("seed={}", std::random_device()());
  setenv("RC_PARAMS", settings.c_str(), 1);
}
// NOLINTEND(concurrency-mt-unsafe)

class HowToRepeat : public ::testing::EmptyTestEventListener {
 public:
  explicit HowToRepeat(std::string program) : program_(std::move(program)) {}

  void OnTestEnd(const ::testing::TestInfo& test) override {
    if (!test.result()->Failed()) return;
    std::string settings;
    for (const char* name : std::array{"RC_PARAMS", "TSAN_OPTIONS"}) {
      const std::string value = Variable(name);
      if (!value.empty()) settings += fmt::format("{}='{}' ", name, value);
    }
    std::cout << fmt::format("To repeat it: {}{} --gtest_filter='{}.{}'\n",
                             settings, program_, test.test_suite_name(),
                             test.name());
  }

 private:
  const std::string program_;
};

}  // namespace

int main(int argc, char** argv) {
  FixSeed();
  ::testing::InitGoogleTest(&argc, argv);
  // GoogleTest owns its listeners.
  ::testing::UnitTest::GetInstance()->listeners().Append(
      new HowToRepeat(argv[0]));
  return RUN_ALL_TESTS();
}
