#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "in_a_folder.h"
#include "manyarms/choice_reader.h"
#include "manyarms/log.h"
#include "random_events.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

LoggedDecision Decided(DecisionId id) {
  return {.id = id, .arm = ArmId{1}, .features = {1, 2}};
}

LoggedReward Reward(DecisionId decision) {
  return {.decision = decision, .reward = 0.25};
}

class LogFileWriter : public testing::InAFolder {
 protected:
  std::string Text() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

  std::vector<DecisionId> Decisions() const {
    LogReader reader(path_);
    std::vector<DecisionId> decisions;
    for (LogEvent event; reader.Next(event);) {
      decisions.push_back(std::get<LoggedDecision>(event).id);
    }
    return decisions;
  }

  const std::filesystem::path path_ = folder_ / "log.jsonl";
  const LogHeader header_ = {.dim = 2};
};

using Ids = std::vector<DecisionId>;

TEST_F(LogFileWriter, HandsOverEachEventAtOnce) {
  LogWriter writer(path_, header_);
  EXPECT_EQ(Decisions(), Ids());
  writer.Write(Decided(1));
  EXPECT_EQ(Decisions(), Ids({1}));
  writer.Write(Decided(2));
  writer.Flush();
  writer.Sync();
  EXPECT_EQ(Decisions(), Ids({1, 2}));
}

TEST_F(LogFileWriter, ContinuesALog) {
  LogWriter(path_, header_).Write(Decided(1));
  LogHeader another = header_;
  another.policy = "ucb";
  LogWriter writer(path_, another);
  EXPECT_EQ(writer.header(), header_);
  writer.Write(Decided(2));
  EXPECT_EQ(Decisions(), Ids({1, 2}));
}

TEST_F(LogFileWriter, CutsOffWhatAKilledWriterLeft) {
  {
    LogWriter writer(path_, header_);
    for (DecisionId id = 1; id <= 3; ++id) writer.Write(Decided(id));
  }
  const std::string text = Text();
  const std::size_t header = text.find('\n') + 1;
  for (std::size_t length = 0; length <= text.size(); ++length) {
    std::ofstream(path_) << text.substr(0, length);
    LogWriter(path_, header_).Write(Decided(9));
    Ids expected;
    for (std::size_t i = header; i < length; ++i) {
      if (text[i] == '\n') expected.push_back(expected.size() + 1);
    }
    expected.push_back(9);
    EXPECT_EQ(Decisions(), expected) << length;
  }
}

TEST_F(LogFileWriter, TouchesNoFileThatIsNoLog) {
  for (const std::string text :
       {"hello", "hello\n", "{\"log\":\"other\"}\n", "\n", "{\"x\":1}"}) {
    std::ofstream(path_) << text;
    ExpectError(ErrorCode::kCorrupt, {"log.jsonl", "line 1"},
                [&] { LogWriter(path_, header_); });
    EXPECT_EQ(Text(), text);
  }
}

TEST_F(LogFileWriter, RefusesTheLogOfAnotherBandit) {
  LogWriter(path_, header_).Write(Decided(1));
  const std::string text = Text();
  LogHeader other = header_;
  other.dim = 3;
  const auto refuses = [&](const LogHeader& header, const std::string& part) {
    ExpectError(ErrorCode::kInvalidArgument, {"log.jsonl", part},
                [&] { LogWriter(path_, header); });
    EXPECT_EQ(Text(), text);
  };
  refuses({.dim = 3}, "dimension is 2, and not 3");
  refuses({.dim = 2, .context_dim = 1}, "context dimension is 0, and not 1");
  refuses({.population = true, .dim = 2}, "a bandit, and not a population");
  refuses({.dim = 2, .rewards = RewardModel::kClicks},
          "linear, and not clicks");
}

TEST_F(LogFileWriter, BeginsANewLogOnlyWhereThereIsNone) {
  LogWriter(path_, header_, LogWriter::Mode::kNew).Write(Decided(1));
  ExpectError(ErrorCode::kIo, {"log.jsonl"},
              [&] { LogWriter(path_, header_, LogWriter::Mode::kNew); });
  EXPECT_EQ(Decisions(), Ids({1}));
  ExpectError(ErrorCode::kInvalidArgument, {"dimension is 0"}, [&] {
    LogWriter(folder_ / "bad", {.dim = 0}, LogWriter::Mode::kNew);
  });
  EXPECT_FALSE(std::filesystem::exists(folder_ / "bad"));
}

TEST_F(LogFileWriter, IsTheOnlyOne) {
  LogWriter writer(path_, header_);
  ExpectError(ErrorCode::kIo, {"another writer"},
              [&] { LogWriter(path_, header_); });
  LogWriter moved(std::move(writer));
  moved.Write(Decided(1));
  EXPECT_EQ(Decisions(), Ids({1}));
}

TEST_F(LogFileWriter, WritesNothingOfAnEventThatIsWrong) {
  LogWriter writer(path_, header_);
  writer.Write(LoggedArmChange{.arm = ArmId{1}, .removed = true});
  const std::string text = Text();
  const double nan = std::nan("");
  const auto refuses = [&](const LogEvent& event, const std::string& part,
                           ErrorCode code = ErrorCode::kInvalidArgument) {
    ExpectError(code, {part}, [&] { writer.Write(event); });
    EXPECT_EQ(Text(), text);
  };
  const LoggedDecision good = {.id = 1, .arm = ArmId{1}, .features = {1, 2}};
  LoggedDecision bad = good;
  refuses(LoggedReward{.decision = 1, .reward = nan}, "reward is nan");
  refuses(LoggedReward{.decision = 1, .learner = 3}, "single bandit");
  refuses(LoggedReward{.decision = 1, .reward = 0, .time = nan}, "time is nan");
  bad.features = {1};
  refuses(bad, "1 features given");
  bad = good;
  bad.features[1] = static_cast<float>(nan);
  refuses(bad, "feature 1 is nan");
  bad = good;
  bad.score = nan;
  refuses(bad, "score is nan");
  bad = good;
  bad.context = {1};
  refuses(bad, "context has 1 values");
  bad = good;
  bad.probability = 2;
  refuses(bad, "probability is 2");
  bad.probability = nan;
  refuses(bad, "probability is nan");
  bad = good;
  bad.policy = "\xff";
  refuses(bad, "policy is not UTF-8");
  bad = good;
  bad.arm = "name";
  refuses(bad, "the arm has a name");
  bad = good;
  bad.policy = std::string(kMaxLogLine, 'x');
  refuses(bad, "at most 1048576", ErrorCode::kTooLarge);
  writer.Write(good);
}

TEST_F(LogFileWriter, RemembersTheKindOfArmsOfALogThatItContinues) {
  LogWriter(path_, header_).Write(LoggedArmChange{.arm = "a", .removed = true});
  LogWriter writer(path_, header_);
  ExpectError(ErrorCode::kInvalidArgument, {"have names"}, [&] {
    writer.Write(LoggedArmChange{.arm = ArmId{1}, .removed = true});
  });
}

// What is written twice would make the log unreadable.
TEST_F(LogFileWriter, WritesEachDecisionAndItsRewardOnce) {
  const auto refuses_known = [&](LogWriter& writer) {
    const std::string text = Text();
    ExpectError(ErrorCode::kDuplicateId, {"decision 1", "needs a new log"},
                [&] { writer.Write(Decided(1)); });
    ExpectError(ErrorCode::kUnknownId, {"decision 1 has a reward"},
                [&] { writer.Write(Reward(1)); });
    ExpectError(ErrorCode::kUnknownId, {"no decision 4"},
                [&] { writer.Write(Reward(4)); });
    EXPECT_EQ(Text(), text);
  };
  {
    LogWriter writer(path_, header_);
    ExpectError(ErrorCode::kUnknownId, {"no decision 1"},
                [&] { writer.Write(Reward(1)); });
    for (const DecisionId id : {1U, 2U, 3U}) writer.Write(Decided(id));
    writer.Write(Reward(3));
    writer.Write(Reward(1));
    refuses_known(writer);
  }
  {
    LogWriter another(path_, header_);
    refuses_known(another);
    another.Write(Reward(2));
    another.Write(Decided(4));
    another.Write(Reward(4));
  }
  EXPECT_EQ(ReadChoices(path_).choices.size(), 4);
}

TEST_F(LogFileWriter, KnowsTheDecisionsOfEachLearner) {
  LogHeader header = header_;
  header.population = true;
  const auto decided = [](const LearnerKey& learner) {
    LoggedDecision decision = Decided(1);
    decision.learner = learner;
    return decision;
  };
  LogWriter writer(path_, header);
  writer.Write(decided(7));
  writer.Write(decided("7"));
  ExpectError(ErrorCode::kDuplicateId, {}, [&] { writer.Write(decided("7")); });
  writer.Write(LoggedReward{.decision = 1, .learner = 7, .reward = 1});
  writer.Write(LoggedReward{.decision = 1, .learner = "7", .reward = 1});
  ExpectError(ErrorCode::kUnknownId, {"no decision 1"}, [&] {
    writer.Write(LoggedReward{.decision = 1, .learner = 8, .reward = 1});
  });
  EXPECT_EQ(ReadChoices(path_).choices.size(), 2);
}

TEST_F(LogFileWriter, DoesNotContinueALogThatCannotBeRead) {
  LogWriter(path_, header_).Write(Decided(1));
  const std::string whole = Text();
  const std::string decision = whole.substr(whole.find('\n') + 1);
  for (const std::string& line : {decision, std::string("oops\n")}) {
    std::ofstream(path_) << whole << line;
    ExpectError(ErrorCode::kCorrupt, {"log.jsonl, line 3"},
                [&] { LogWriter(path_, header_); });
    EXPECT_EQ(Text(), whole + line);
  }
}

TEST_F(LogFileWriter, MayWriteAgainWhatFoundNoRoom) {
  LogWriter writer(path_, header_);
  LoggedDecision decision = Decided(1);
  decision.policy = std::string(kMaxLogLine, 'x');
  ExpectError(ErrorCode::kTooLarge, {}, [&] { writer.Write(decision); });
  writer.Write(Decided(1));
  EXPECT_EQ(Decisions(), Ids({1}));
}

TEST_F(LogFileWriter, SaysThatTheDiskIsFull) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  try {
    const LogWriter writer("/dev/full", header_);
    FAIL() << "nothing was thrown";
  } catch (const FileError& error) {
    EXPECT_EQ(error.system_error(), ENOSPC);
  }
  std::ofstream full("/dev/full");
  ExpectError(ErrorCode::kIo, {}, [&] {
    LogWriter writer(full, header_);
    writer.Flush();
  });
}

// A limit of the process stands for a full disk: the system writes what fits
// of a line, and refuses the rest.
TEST_F(LogFileWriter, LeavesNothingHalfWrittenIfThereIsNoRoom) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    LogWriter writer(path_, header_);
    writer.Write(Decided(1));
    const std::string text = Text();
    rlimit limit = {};
    getrlimit(RLIMIT_FSIZE, &limit);
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = text.size() + 10;
    setrlimit(RLIMIT_FSIZE, &limit);
    bool refused = false;
    try {
      writer.Write(Decided(2));
    } catch (const FileError& error) {
      refused = error.system_error() == EFBIG;
    }
    const bool is_whole = Text() == text;
    limit.rlim_cur = before;
    setrlimit(RLIMIT_FSIZE, &limit);
    writer.Write(Decided(2));
    _exit(refused && is_whole ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Decisions(), Ids({1, 2}));
}

TEST_F(LogFileWriter, WritesToWhatIsNoRegularFile) {
  EXPECT_NO_THROW(LogWriter("/dev/null", header_).Write(Decided(1)));
  ExpectError(ErrorCode::kIo, {}, [&] { LogWriter(folder_, header_); });
  ExpectError(ErrorCode::kIo, {"no/such"},
              [&] { LogWriter(folder_ / "no/such/folder", header_); });
}

}  // namespace
}  // namespace manyarms
