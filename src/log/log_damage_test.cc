// Logs that were cut off or changed.

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "manyarms/choice_reader.h"
#include "random_events.h"
#include "testing.h"

namespace manyarms {
namespace {

LogHeader Header() { return {.population = true, .dim = 2, .context_dim = 1}; }

std::string RandomLog(std::uint64_t seed, int events) {
  testing::RandomEvents random(Header(), seed % 2 == 0, seed);
  std::ostringstream text;
  LogWriter writer(text, Header());
  for (int i = 0; i < events; ++i) writer.Write(random.Next());
  return text.str();
}

// The number of events before the end or an error, and the error.
struct Outcome {
  std::uint64_t events = 0;
  std::string error;
};

Outcome Read(const std::string& text, bool ignore_torn_tail) {
  std::istringstream in(text);
  Outcome outcome;
  try {
    LogReader reader(in, {.ignore_torn_tail = ignore_torn_tail});
    for (LogEvent event; reader.Next(event);) ++outcome.events;
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::kCorrupt ||
                error.code() == ErrorCode::kUnsupported)
        << error.what();
    outcome.error = error.what();
  }
  return outcome;
}

TEST(DamagedLog, CutOffAnywhereIsAnErrorThatNamesTheLine) {
  const std::string text = RandomLog(1, 12);
  for (std::size_t length = 0; length < text.size(); ++length) {
    const std::string cut = text.substr(0, length);
    const auto whole =
        static_cast<std::uint64_t>(std::ranges::count(cut, '\n'));
    const bool is_torn = cut.empty() || cut.back() != '\n';
    const Outcome strict = Read(cut, false);
    const Outcome patient = Read(cut, true);
    if (is_torn) {
      EXPECT_TRUE(strict.error.starts_with(fmt::format("line {}: ", whole + 1)))
          << strict.error;
    } else {
      EXPECT_EQ(strict.error, "");
    }
    if (whole == 0) {
      EXPECT_TRUE(patient.error.starts_with("line 1: ")) << patient.error;
    } else {
      EXPECT_EQ(patient.error, "");
      EXPECT_EQ(patient.events, whole - 1);
      EXPECT_EQ(strict.events, whole - 1);
    }
  }
}

// Whatever the bytes are, they give events or an error.
TEST(DamagedLog, WithRandomChangesIsReadOrRefused) {
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    RandomStream random(seed, RandomStream::Role::kArm, 1);
    std::string text = RandomLog(seed % 20, 8);
    for (std::uint64_t changes = random.Below(4) + 1; changes > 0; --changes) {
      const std::size_t at = random.Below(text.size());
      const auto byte = static_cast<char>(random.Bits());
      switch (random.Below(4)) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.erase(at, random.Below(20));
          break;
        case 2:
          text.insert(at, text.substr(random.Below(text.size()), 20));
          break;
        default:
          text.insert(at, 1, byte);
      }
      if (text.empty()) text.push_back('\n');
    }
    if (!Read(text, true).error.empty()) ++refused;
    std::istringstream in(text);
    try {
      ReadChoices(in, {.ignore_torn_tail = true});
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): either is right
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(DamagedLog, OfRandomBytesIsRefused) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    RandomStream random(seed, RandomStream::Role::kArm, 2);
    std::string text(random.Below(3000), '\0');
    for (char& c : text) c = static_cast<char>(random.Bits());
    EXPECT_NE(Read(text, true).error, "");
  }
}

}  // namespace
}  // namespace manyarms
