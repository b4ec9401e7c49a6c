#include "manyarms/log.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "in_a_folder.h"
#include "log/event_text.h"
#include "random_events.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

std::string TextOf(const LogEvent& event) {
  std::string text;
  AppendEvent(event, text);
  return text;
}

std::vector<LogHeader> Headers() {
  std::vector<LogHeader> headers;
  for (const bool population : {false, true}) {
    for (const std::size_t context_dim : {0U, 2U}) {
      for (const auto rewards : {RewardModel::kLinear, RewardModel::kClicks}) {
        headers.push_back({.population = population,
                           .dim = context_dim + 3,
                           .context_dim = context_dim,
                           .exploration = 0.1,
                           .rewards = rewards,
                           .forgetting = 0.999});
      }
    }
  }
  return headers;
}

TEST(Log, IsReadAsItWasWritten) {
  std::uint64_t seed = 1;
  for (const LogHeader& header : Headers()) {
    for (const bool named_arms : {false, true}) {
      testing::RandomEvents random(header, named_arms, seed++);
      std::vector<LogEvent> events;
      std::stringstream text;
      LogWriter writer(text, header);
      for (int i = 0; i < 500; ++i) {
        events.push_back(random.Next());
        writer.Write(events.back());
      }
      LogReader reader(text);
      EXPECT_EQ(reader.header(), header);
      LogEvent read;
      for (std::size_t i = 0; i < events.size(); ++i) {
        ASSERT_TRUE(reader.Next(read));
        EXPECT_EQ(reader.line(), i + 2);
        EXPECT_EQ(read, events[i]);
        EXPECT_EQ(TextOf(read), TextOf(events[i]));
      }
      EXPECT_FALSE(reader.Next(read));
      EXPECT_FALSE(reader.Next(read));
    }
  }
}

TEST(Log, HasTheOptionsOfBanditsAndPopulations) {
  BanditOptions bandit{.dim = 7,
                       .policy = UcbOptions{.exploration = 0.3},
                       .search = ScanOptions{},
                       .regularisation = 0.1,
                       .rewards = RewardModel::kClicks,
                       .forgetting = 0.99,
                       .context_dim = 2,
                       .context_constants = false,
                       .seed = 18446744073709551615U};
  const LogHeader header = LogHeader::Of(bandit);
  EXPECT_EQ(header.policy, "ucb");
  EXPECT_EQ(header.search, "scan");
  EXPECT_EQ(header.exploration, 0.3);
  EXPECT_FALSE(header.population);
  const LogHeader by_theory = LogHeader::Of(PopulationOptions{
      .dim = 3, .policy = ThompsonOptions{.exploration = TheoryRadius{100}}});
  EXPECT_TRUE(by_theory.population);
  EXPECT_FALSE(by_theory.exploration.has_value());
  for (const LogHeader& one : {header, by_theory}) {
    std::string line;
    AppendHeader(one, line);
    EXPECT_EQ(ParseHeader(line), one) << line;
  }
}

// A log of one bandit with one feature, and lines as they are given.
std::string LogWith(const std::string& lines) {
  std::ostringstream text;
  const LogWriter writer(text, {.dim = 1});
  return text.str() + lines;
}

std::vector<LogEvent> ReadAll(const std::string& text) {
  std::istringstream in(text);
  LogReader reader(in);
  std::vector<LogEvent> events;
  for (LogEvent event; reader.Next(event);) events.push_back(event);
  return events;
}

void ExpectCorrupt(const std::string& text,
                   const std::vector<std::string>& parts) {
  ExpectError(ErrorCode::kCorrupt, parts, [&] { ReadAll(text); });
}

TEST(LogReader, TakesFieldsOfOtherNamesNullsAndAnyOrder) {
  const std::string text = LogWith(
      " { \"reward\" : 0.5 , \"mood\":{\"a\":[1,\"x\",null]}, \"event\":"
      "\"reward\", \"learner\":null, \"decision\":3 }\r\n");
  EXPECT_EQ(
      ReadAll(text),
      (std::vector<LogEvent>{LoggedReward{.decision = 3, .reward = 0.5}}));
}

TEST(LogReader, NamesTheLineOfWhatIsWrong) {
  const std::string good =
      "{\"event\":\"reward\",\"decision\":1,\"reward\":1}\n";
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"", "expected an object, the line is empty"},
      {" \r", "the line is empty"},
      {"\xef\xbb\xbf{}", "byte order mark (BOM)"},
      {"{}", "\"event\" is missing"},
      {"[1]", "expected an object"},
      {"nonsense", "expected an object"},
      {R"({"event":"rewards"})", "must be decision, reward"},
      {R"({"event":7})", "\"event\": expected a string"},
      {R"({"event":"reward","reward":1})", "\"decision\" is missing"},
      {R"({"event":"reward","decision":1})", "\"reward\" is missing"},
      {R"({"event":"reward","decision":-1,"reward":1})", "\"decision\""},
      {R"({"event":"reward","decision":1.5,"reward":1})", "1.5"},
      {R"({"event":"reward","decision":1,"reward":"1"})", "\"reward\""},
      {R"({"event":"reward","decision":1,"reward":1e10})", "reward is"},
      {R"({"event":"reward","decision":1,"reward":1e999})", "range"},
      {R"({"event":"reward","decision":1,"reward":NaN})", "expected a number"},
      {R"({"event":"reward","decision":1,"reward":1,"reward":1})", "twice"},
      {R"({"event":"reward","decision":1,"reward":1} x)", "end of the line"},
      {R"({"event":"reward","decision":1,"learner":2,"reward":1})",
       "single bandit"},
      {R"({"event":"decision","id":1,"arm":1,"features":[1,2],"score":0})",
       "2 features given, the dimension is 1"},
      {R"({"event":"decision","id":1,"arm":1,"features":[],"score":0})",
       "0 features"},
      {R"({"event":"decision","id":1,"arm":1,"features":[1e7],"score":0})",
       "feature 0"},
      {R"({"event":"decision","id":1,"arm":1,"features":1,"score":0})",
       "\"features\": expected an array"},
      {R"({"event":"decision","id":1,"arm":1,"features":[null],"score":0})",
       "\"features\""},
      {R"({"event":"decision","id":1,"arm":1.5,"features":[1],"score":0})",
       "\"arm\""},
      {R"({"event":"decision","arm":1,"features":[1],"score":0})",
       "\"id\" is missing"},
      {R"({"event":"decision","id":1,"features":[1],"score":0})",
       "\"arm\" is missing"},
      {R"({"event":"decision","id":1,"arm":1,"score":0})",
       "\"features\" is missing"},
      {R"({"event":"decision","id":1,"arm":1,"features":[1]})",
       "\"score\" is missing"},
      {R"({"event":"decision","id":1,"arm":1,"features":[1],"score":0,"context":[1]})",
       "context has 1 values, must have 0"},
      {R"({"event":"decision","id":1,"arm":1,"features":[1],"score":0,"probability":0})",
       "probability is 0"},
      {R"({"event":"decision","id":1,"arm":1,"features":[1],"score":0,"probability":1.5})",
       "probability is 1.5"},
      {R"({"event":"decision","id":1,"arm":1,"features":[1],"score":0,"uniform":1})",
       "\"uniform\""},
      {R"({"event":"observation","features":[1]})", "\"reward\" is missing"},
      {R"({"event":"observation","reward":1})", "\"features\" is missing"},
      {R"({"event":"arm","features":[1]})", "\"arm\" is missing"},
      {R"({"event":"arm","arm":1})", "\"features\" is missing"},
      {"{\"event\":\"arm removed\",\"arm\":\"\xff\"}", "not UTF-8"},
      {R"({"event":"arm removed","arm":"\ud800"})", "surrogate"},
      {"{\"event\":\"arm removed\",\"arm\":\"a\x01\"}", "control character"},
  };
  for (const auto& [line, part] : wrong) {
    SCOPED_TRACE(line);
    ExpectCorrupt(LogWith(fmt::format("{0}{1}\n{0}", good, line)),
                  {"line 3:", part});
  }
}

TEST(LogReader, RefusesArmsOfBothKinds) {
  ExpectCorrupt(LogWith("{\"event\":\"arm removed\",\"arm\":1}\n"
                        "{\"event\":\"arm removed\",\"arm\":\"1\"}\n"),
                {"line 3:", "name"});
}

TEST(LogReader, RefusesLinesThatAreTooLong) {
  const std::string prefix = R"({"event":"arm removed","arm":1,"note":")";
  const auto line = [&](std::size_t length) {
    return prefix + std::string(length - prefix.size() - 2, 'x') + "\"}\n";
  };
  EXPECT_EQ(ReadAll(LogWith(line(kMaxLogLine))).size(), 1);
  ExpectCorrupt(LogWith(line(kMaxLogLine + 1)), {"line 2:", "longer than"});
  ExpectCorrupt(LogWith(line(3 * kMaxLogLine)), {"line 2:", "longer than"});
}

TEST(LogReader, RefusesOtherFirstLines) {
  const std::string header = LogWith("");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = header;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return text.replace(at, from.size(), to);
  };
  ExpectCorrupt("", {"line 1"});
  ExpectCorrupt("\n", {"line 1"});
  ExpectCorrupt("{}\n", {"line 1", "first line of a log"});
  ExpectCorrupt("\xef\xbb\xbf" + header, {"line 1", "byte order mark (BOM)"});
  ExpectCorrupt(R"({"log":"other","format":1})"
                "\n",
                {"line 1", "first line"});
  ExpectCorrupt(with("\"format\":1,", ""), {"line 1", "\"format\" is missing"});
  ExpectCorrupt(with("\"format\":1", "\"format\":0"), {"line 1", "format"});
  ExpectCorrupt(with("\"dim\":1", R"("dim":0)"), {"line 1", "dimension is 0"});
  ExpectCorrupt(with("\"dim\":1", R"("dim":5000)"), {"line 1", "5000"});
  ExpectCorrupt(with("\"dim\":1", R"("dim":1,"dim":1)"), {"line 1", "twice"});
  ExpectCorrupt(with("\"dim\":1,", ""), {"line 1", "\"dim\" is missing"});
  ExpectCorrupt(with("linear", "square"), {"line 1", "square"});
  ExpectCorrupt(with("\"ts\"", "\"foo\""),
                {"line 1", "policy is \"foo\"", "one of ts, "});
  ExpectCorrupt(with("certified", "fast"), {"line 1", "search is \"fast\""});
  ExpectCorrupt(with("\"forgetting\":1", "\"forgetting\":5"),
                {"line 1", "forgetting is 5"});
  ExpectCorrupt(with("\"regularisation\":1", "\"regularisation\":-1"),
                {"line 1", "regularisation is -1"});
  ExpectCorrupt(with("\"theory\"", "-1"), {"line 1", "exploration is -1"});
  ExpectCorrupt(with("\"context_dim\":0,", ""), {"\"context_dim\" is missing"});
  ExpectCorrupt(with("\"population\":false,", ""),
                {"\"population\" is missing"});
  ExpectError(ErrorCode::kUnsupported, {"line 1", "format 2"},
              [&] { ReadAll(with("\"format\":1", "\"format\":2")); });
  // Fields that this version does not know are no reason to refuse a log.
  EXPECT_TRUE(ReadAll(with("\"dim\":1", "\"dim\":1,\"colour\":[1]")).empty());
}

class LogFiles : public testing::InAFolder {};

TEST_F(LogFiles, AreNamedInErrors) {
  const auto path = folder_ / "a.jsonl";
  std::ofstream(path) << LogWith("oops\n");
  ExpectError(ErrorCode::kCorrupt, {"a.jsonl, line 2:"}, [&] {
    LogReader reader(path);
    LogEvent event;
    reader.Next(event);
  });
  ExpectError(ErrorCode::kIo, {"missing.jsonl"},
              [&] { LogReader(folder_ / "missing.jsonl"); });
  ExpectError(ErrorCode::kIo, {}, [&] { LogReader{folder_}; });
}

TEST_F(LogFiles, SayHowMuchWasRead) {
  const auto path = folder_ / "a.jsonl";
  std::ofstream(path) << LogWith(
      "{\"event\":\"arm removed\",\"arm\":1}\n"
      "{\"event\":\"arm removed\",\"arm\":2}\n");
  LogReader reader(path);
  LogEvent event;
  reader.Next(event);
  EXPECT_GT(reader.Progress(), 0.5);
  EXPECT_LT(reader.Progress(), 1);
  reader.Next(event);
  EXPECT_EQ(reader.Progress(), 1);
}

}  // namespace
}  // namespace manyarms
