// Tests of the program from outside: command lines with their expected output,
// listed in cli_cases.json, and configuration files with random bytes.

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <utility>
#include <vector>

#include "manyarms/bandit.h"
#include "manyarms/random.h"
#include "paths.h"
#include "testing.h"

namespace manyarms {
namespace {

struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
};

std::string Slurp(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Each test process has its own folder, because ctest runs several at a time.
std::filesystem::path Scratch() {
  static const std::filesystem::path folder = [] {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "manyarms.XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    return std::filesystem::path(pattern);
  }();
  return folder;
}

class ScratchFolder : public ::testing::Environment {
 public:
  void TearDown() override { std::filesystem::remove_all(Scratch()); }
};
// NOLINTNEXTLINE(bugprone-throwing-static-initialization)
const auto* const scratch_folder =
    ::testing::AddGlobalTestEnvironment(new ScratchFolder);

Outcome RunCommand(const std::string& command) {
  const auto out = Scratch() / "out";
  const auto err = Scratch() / "err";
  // NOLINTNEXTLINE(bugprone-command-processor,concurrency-mt-unsafe)
  const int code = std::system(
      fmt::format("{} >{} 2>{} </dev/null", command, out.string(), err.string())
          .c_str());
  return {WIFEXITED(code) ? WEXITSTATUS(code) : -1, Slurp(out), Slurp(err)};
}

Outcome RunProgram(const std::string& args) {
  return RunCommand(fmt::format("{} {}", testing::Program().string(), args));
}

void ExpectParts(const std::string& text, const nlohmann::json& parts) {
  for (const std::string part : parts) {
    EXPECT_NE(text.find(part), std::string::npos)
        << "'" << part << "' is not in: " << text;
  }
}

// Errors are one line on standard error, which starts with the program's name.
void ExpectOneLine(const std::string& text) {
  EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
  EXPECT_TRUE(text.starts_with("manyarms: ")) << text;
}

nlohmann::json AllCases() {
  std::ifstream file(testing::TestFolder() / "cli_cases.json");
  return nlohmann::json::parse(file);
}

class CommandLine : public ::testing::TestWithParam<nlohmann::json> {};

TEST_P(CommandLine, HasTheListedStatusAndOutput) {
  const nlohmann::json& expected = GetParam();
  const Outcome outcome = RunProgram(expected["args"]);
  EXPECT_EQ(outcome.status, expected["status"]) << outcome.err;
  ExpectParts(outcome.out, expected.value("stdout", nlohmann::json::array()));
  ExpectParts(outcome.err, expected.value("stderr", nlohmann::json::array()));
  if (outcome.status == 2) {
    ExpectOneLine(outcome.err);
  } else {
    EXPECT_EQ(outcome.err, "");
  }
}

INSTANTIATE_TEST_SUITE_P(Listed, CommandLine, ::testing::ValuesIn(AllCases()),
                         [](const auto& c) {
                           return c.param["name"].template get<std::string>();
                         });

TEST(CommandLineRows, AreTheSameFromFlagsAndFromAFile) {
  std::ofstream(Scratch() / "run.toml")
      << "[simulate]\npolicy = \"elim\"\narms = 80\nsteps = 60\nseed = 5\n"
         "json = true\n";
  const Outcome file =
      RunProgram("simulate --config " + (Scratch() / "run.toml").string());
  const Outcome flags =
      RunProgram("simulate --policy elim --arms 80 --steps 60 --seed 5 --json");
  ASSERT_EQ(file.status, 0) << file.err;
  const auto a = nlohmann::json::parse(file.out);
  const auto b = nlohmann::json::parse(flags.out);
  EXPECT_EQ(a["decision_digest"], b["decision_digest"]);
  EXPECT_EQ(a["regret"], b["regret"]);
}

// A port of 127.0.0.1 that another program, this one, listens at.
class BusyPort {
 public:
  BusyPort() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (socket_ < 0) return;  // then port_ is 0, which the test refuses
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(socket_, any, size), 0);
    EXPECT_EQ(listen(socket_, 1), 0);
    EXPECT_EQ(getsockname(socket_, any, &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~BusyPort() {
    if (socket_ >= 0) close(socket_);
  }
  BusyPort(const BusyPort&) = delete;
  BusyPort& operator=(const BusyPort&) = delete;

  int number() const { return port_; }

 private:
  int socket_;
  int port_ = 0;
};

TEST(Serve, SaysThatThePortIsInUse) {
  const BusyPort port;
  ASSERT_NE(port.number(), 0);
  const Outcome outcome =
      RunProgram(fmt::format("serve --data {} --port {}",
                             (Scratch() / "x.db").string(), port.number()));
  EXPECT_EQ(outcome.status, 2);
  ExpectParts(outcome.err, {fmt::format("port {}", port.number()), "in use"});
  ExpectOneLine(outcome.err);
}

TEST(Serve, RefusesOptionsBeyondTheirBounds) {
  const std::string data = (Scratch() / "bounds.db").string();
  for (const auto& [option, bound] :
       std::vector<std::pair<std::string, std::string>>{
           {"--retention-days nan", "at most 36500"},
           {"--retention-days=-1", "at least 0"},
           {"--retention-days 1e300", "at most 36500"},
           {"--stop-seconds 1e30", "at most 86400"},
           {"--stop-seconds 0", "above 0"},
           {"--save-seconds inf", "at most 86400"},
           {"--max-arms 0", "below 1"},
           {"--port 70000", "65535"}}) {
    const Outcome outcome =
        RunProgram(fmt::format("serve --data {} {}", data, option));
    EXPECT_EQ(outcome.status, 2) << option;
    ExpectParts(outcome.err, {bound});
    EXPECT_LT(outcome.err.size(), 300U) << outcome.err;
  }
  for (const auto& [place, said] :
       std::vector<std::pair<std::string, std::string>>{
           {"''", "--data is empty"}, {"mysql://x", "scheme mysql"}}) {
    const Outcome outcome = RunProgram("serve --data " + place);
    EXPECT_EQ(outcome.status, 2) << place;
    ExpectParts(outcome.err, {said});
  }
  EXPECT_FALSE(std::filesystem::exists(data));
}

TEST(ConfigFile, WithAnUnknownOptionIsRefused) {
  std::ofstream(Scratch() / "odd.toml") << "[simulate]\nfrob = 1\n";
  const Outcome outcome =
      RunProgram("simulate --config " + (Scratch() / "odd.toml").string());
  EXPECT_EQ(outcome.status, 2);
  ExpectParts(outcome.err, {"frob", "odd.toml", "TOML"});
}

TEST(CommandLineRows, GoToAFile) {
  const auto path = Scratch() / "rows.jsonl";
  const Outcome outcome =
      RunProgram("simulate --arms 20 --steps 20 --runs 3 --json --output " +
                 path.string());
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(std::ranges::count(Slurp(path), '\n'), 3);
}

// Arms with two features each, as NumPy saves them.
std::filesystem::path NpyFile(const std::string& name,
                              const std::vector<float>& values) {
  const auto path = Scratch() / name;
  const std::string header = fmt::format(
      "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, 2), }}\n",
      values.size() / 2);
  std::ofstream file(path, std::ios::binary);
  file << "\x93NUMPY\x01" << '\0' << static_cast<char>(header.size()) << '\0'
       << header;
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(float)));
  return path;
}

std::filesystem::path FourArms() {
  return NpyFile("arms.npy", {1, 0, 0, 1, 1, 1, 0.5F, 0});
}

std::filesystem::path PastEventsFile(const std::string& lines) {
  const auto path = Scratch() / "events.jsonl";
  std::ofstream(path) << lines;
  return path;
}

constexpr const char* kFourEvents =
    "{\"arm\":0,\"reward\":1}\n{\"arm\":1,\"reward\":0}\n"
    "{\"arm\":2,\"reward\":1}\n{\"arm\":0,\"reward\":0}\n";

TEST(Replay, ReportsForPeopleAndPrograms) {
  const std::string files =
      fmt::format("replay --arms {} --events {}", FourArms().string(),
                  PastEventsFile(kFourEvents).string());
  const Outcome table = RunProgram(files + " --best 2 --rewards clicks");
  EXPECT_EQ(table.status, 0) << table.err;
  ExpectParts(
      table.out,
      {"ts x certified, clicks rewards: 4 events, 4 arms, dimension 2",
       "mean reward", "0.5", "log loss", "calibration error", "best arms"});
  const Outcome row =
      RunProgram(files + " --json --policy ucb --search scan --best 1");
  ASSERT_EQ(row.status, 0) << row.err;
  const auto json = nlohmann::json::parse(row.out);
  EXPECT_EQ(json["events"], 4);
  EXPECT_EQ(json["policy"], "ucb");
  EXPECT_EQ(json["mean_reward"], 0.5);
  EXPECT_EQ(json["best_arms"].size(), 1);
  EXPECT_FALSE(json.contains("log_loss"));
  Bandit bandit({.dim = 2});
  double squares = 0;
  const std::vector<std::vector<float>> arms = {{1, 0}, {0, 1}, {1, 1}, {1, 0}};
  const std::vector<double> rewards = {1, 0, 1, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    squares += std::pow(rewards[i] - bandit.Predict(arms[i]), 2);
    bandit.Observe(arms[i], rewards[i]);
  }
  EXPECT_DOUBLE_EQ(json["error"].get<double>(), std::sqrt(squares / 4));
  EXPECT_DOUBLE_EQ(json["best_arms"][0]["reward"].get<double>(),
                   bandit.Predict(arms[2]));
  EXPECT_EQ(json["best_arms"][0]["arm"], 2);
}

TEST(Replay, KeepsWhatHasLearned) {
  const auto saved = Scratch() / "learned";
  std::ofstream(Scratch() / "names") << "a\nb\nc\nd\n";
  const std::string command = fmt::format(
      "replay --arms {} --names {} --save {} --events {}", FourArms().string(),
      (Scratch() / "names").string(), saved.string(),
      PastEventsFile("{\"arm\":\"c\",\"reward\":1}\n").string());
  const Outcome outcome = RunProgram(command);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  Names names;
  const Bandit loaded = Bandit::Load(saved, &names);
  EXPECT_EQ(loaded.size(), 4);
  EXPECT_EQ(names.At("c"), 2);
  Bandit bandit({.dim = 2});
  bandit.Observe(std::vector<float>{1, 1}, 1);
  EXPECT_EQ(loaded.Mean(), bandit.Mean());
}

TEST(Replay, LeavesOutATornTailIfAsked) {
  const std::string command =
      "replay --json --events " +
      PastEventsFile(
          "{\"log\":\"manyarms\",\"format\":1,\"population\":false,"
          "\"dim\":1,\"context_dim\":0,\"rewards\":\"linear\"}\n"
          "{\"event\":\"observation\",\"features\":[1],\"reward\":1}\n"
          "{\"event\":\"observ")
          .string();
  const Outcome strict = RunProgram(command);
  EXPECT_EQ(strict.status, 2);
  ExpectParts(strict.err, {"events.jsonl, line 3", "has no end"});
  const Outcome patient = RunProgram(command + " --ignore-torn-tail");
  ASSERT_EQ(patient.status, 0) << patient.err;
  EXPECT_EQ(nlohmann::json::parse(patient.out)["events"], 1);
}

TEST(Replay, SaysInOneLineWhatIsWrong) {
  const std::string arms = FourArms().string();
  std::ofstream(Scratch() / "twice") << "a\nb\na\nd\n";
  std::ofstream(Scratch() / "few") << "a\nb\n";
  const auto refuses = [](const std::string& flags, const std::string& lines,
                          const nlohmann::json& parts) {
    const Outcome outcome = RunProgram(fmt::format(
        "replay --events {} {}", PastEventsFile(lines).string(), flags));
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    ExpectOneLine(outcome.err);
    ExpectParts(outcome.err, parts);
  };
  const auto in_scratch = [](const char* name) {
    return (Scratch() / name).string();
  };
  refuses("", kFourEvents, {"--arms is needed"});
  refuses("", "", {"events.jsonl has no events"});
  refuses("", "{\"arm\":0,\"features\":[],\"reward\":1}\n",
          {"events.jsonl, line 1", "\"features\" has no values"});
  refuses("--arms " + NpyFile("nan.npy", {1, std::nanf("")}).string(),
          kFourEvents, {"nan.npy: ", "nan"});
  refuses("--arms a.parquet", kFourEvents, {"manyarms[parquet]", ".npy"});
  refuses("--arms " + in_scratch("few"), kFourEvents, {"not a .npy file"});
  refuses("--arms " + arms + " --names " + in_scratch("twice"), kFourEvents,
          {"line 3", "\"a\" is there twice"});
  refuses("--arms " + arms + " --names " + in_scratch("few"), kFourEvents,
          {"2 names for 4 arms"});
  refuses("--names " + in_scratch("few"), "{\"features\":[1],\"reward\":1}\n",
          {"--names", "--arms"});
  refuses("--arms " + arms, "{\"arm\":9,\"reward\":1}\n",
          {"events.jsonl, line 1", "9"});
  refuses("--arms " + arms,
          std::string(kFourEvents) + "{\"arm\":", {"events.jsonl, line 5"});
  refuses("--arms " + arms + " --population", kFourEvents,
          {"line 1", "no learner"});
  refuses("--arms " + arms + " --accuracy 0.1", kFourEvents, {"--accuracy"});
}

// A path that cannot be written is an error before the work, which would take
// days here, and not after it.
TEST(CommandLineFiles, AreOpenedBeforeTheWork) {
  for (const char* args :
       {"simulate --arms 1000000 --steps 1000000 --search scan --output",
        "plan-lsh --output",
        "adversary --points 100000 --sequences 1000000 --output",
        "adversary --points 100000 --sequences 1000000 --plot"}) {
    const Outcome outcome = RunCommand(fmt::format(
        "timeout 20 {} {} /nowhere/file", testing::Program().string(), args));
    EXPECT_EQ(outcome.status, 2) << args;
    ExpectOneLine(outcome.err);
    ExpectParts(outcome.err, {"/nowhere/file"});
  }
}

TEST(CommandLinePlots, MissAMissingGnuplotBeforeTheWork) {
  const std::string program = testing::Program().string();
  const auto svg = Scratch() / "adversary.svg";
  const Outcome adversary = RunCommand(
      fmt::format("timeout 20 env PATH=/nowhere {} adversary --points 100000 "
                  "--sequences 1000000 --plot {}",
                  program, svg.string()));
  EXPECT_EQ(adversary.status, 2);
  ExpectParts(adversary.err, {"gnuplot cannot draw", "gnuplot-nox"});
  EXPECT_FALSE(std::filesystem::exists(svg));

  const Outcome reproduce = RunCommand(
      fmt::format("timeout -s INT 1 env PATH=/nowhere {} reproduce --out {}",
                  program, (Scratch() / "reproduced").string()));
  ExpectParts(reproduce.err, {"there will be no page with plots"});
}

// A log of 400 choices among four arms, made by hand-set probabilities.
std::string EvaluateFourArms(const std::string& flags) {
  return fmt::format("evaluate {}/data/logs/four_arms.jsonl {}",
                     testing::TestFolder().string(), flags);
}

// As numpy.save writes the arms of that log.
void WriteFourArms(const std::filesystem::path& path) {
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 2), }";
  header.resize(117, ' ');
  header += '\n';
  const std::array<float, 8> rows{1, 0, 0, 1, 0.5F, 0.5F, -0.5F, 1};
  std::ofstream file(path, std::ios::binary);
  file << "\x93NUMPY" << '\x01' << '\0' << '\x76' << '\0' << header;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  file.write(reinterpret_cast<const char*>(rows.data()), sizeof(rows));
}

TEST(Evaluate, PrintsATableForPeople) {
  const Outcome outcome = RunProgram(EvaluateFourArms("--also ucb,elim"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  ExpectParts(outcome.out,
              {"400 choices with rewards (169 uniform), 0 without",
               "95 % interval", "as logged            all choices",
               "as logged            evaluated", "ts x certified       IPS",
               "ucb x certified      SNIPS", "elim x certified     replay",
               "200 learned, 200 evaluated", "uniform choices", "note: "});
}

// The best arm's mean reward is 0.9, and both policies know it after 200
// rewards.
TEST(Evaluate, PrintsRowsForPrograms) {
  const Outcome outcome =
      RunProgram(EvaluateFourArms("--also ucb --draws 200 --json"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  std::vector<nlohmann::json> rows;
  for (std::string line; std::getline(lines, line);) {
    rows.push_back(nlohmann::json::parse(line));
  }
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["policy"], "ts");
  EXPECT_EQ(rows[1]["policy"], "ucb");
  for (const nlohmann::json& row : rows) {
    EXPECT_EQ(row["evaluated"], 200);
    for (const char* estimator : {"snips", "dr"}) {
      EXPECT_LT(row[estimator]["low"], 0.9);
      EXPECT_GT(row[estimator]["high"], 0.9);
      EXPECT_GT(row[estimator]["low"], row["logged"]["high"]);
    }
  }
  const Outcome again =
      RunProgram(EvaluateFourArms("--also ucb --draws 200 --json"));
  EXPECT_EQ(again.out, outcome.out);
  const Outcome other =
      RunProgram(EvaluateFourArms("--also ucb --draws 200 --json --seed 2"));
  EXPECT_NE(other.out, outcome.out);
}

TEST(Evaluate, TakesItsFlags) {
  const Outcome outcome = RunProgram(EvaluateFourArms(
      "--policy ucb --exploration 0.5 --search scan --learn-share 0.25 "
      "--uniform-only --level 0.5 --clip 2 --regularisation 2 --half-life 500 "
      "--json"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto row = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(row["learned"], 100);
  EXPECT_EQ(row["evaluated"].get<int>() + row["passed_over"].get<int>(), 300);
  EXPECT_GT(row["passed_over"], 100);
  EXPECT_GT(row["weights"]["clipped"], 20);
  EXPECT_EQ(row["search"], "scan");
}

// Estimates are of the second half of the log, and so is what they are shown
// beside.
TEST(Evaluate, ComparesWithWhatWasLoggedWhereItEvaluates) {
  const Outcome table =
      RunProgram(EvaluateFourArms("--draws 5 --learn-share 0.9 --policy ucb"));
  ASSERT_EQ(table.status, 0) << table.err;
  const Outcome rows = RunProgram(
      EvaluateFourArms("--draws 5 --learn-share 0.9 --policy ucb --json"));
  const auto row = nlohmann::json::parse(rows.out);
  const double all = row["logged"]["value"];
  const double evaluated = row["logged_evaluated"]["value"];
  EXPECT_NE(fmt::format("{:.4g}", all), fmt::format("{:.4g}", evaluated));
  ExpectParts(
      table.out,
      {fmt::format("as logged            all choices  {:>10.4g}", all),
       fmt::format("as logged            evaluated    {:>10.4g}", evaluated)});
  // What is only replayed is compared with all choices.
  const Outcome replayed = RunProgram(EvaluateFourArms("--policy elim"));
  ASSERT_EQ(replayed.status, 0) << replayed.err;
  ExpectParts(replayed.out, {"as logged            all choices"});
  EXPECT_EQ(replayed.out.find("as logged            evaluated"),
            std::string::npos);
}

TEST(Evaluate, TakesAShareOfUniformChoices) {
  const Outcome none =
      RunProgram(EvaluateFourArms("--policy ucb --draws 200 --json"));
  const Outcome all = RunProgram(
      EvaluateFourArms("--policy ucb --draws 200 --explore-uniform 1 --json"));
  ASSERT_EQ(all.status, 0) << all.err;
  // Uniform choices among four arms are worth more of the logged ones than one
  // arm all the time, and earn less.
  const auto greedy = nlohmann::json::parse(none.out);
  const auto uniform = nlohmann::json::parse(all.out);
  EXPECT_GT(uniform["weights"]["effective_sample_size"],
            greedy["weights"]["effective_sample_size"]);
  EXPECT_LT(uniform["snips"]["high"], greedy["snips"]["low"]);
}

TEST(Evaluate, DrawsAPicture) {
  const Outcome outcome = RunProgram(
      EvaluateFourArms("--draws 20 --also ucb --output /dev/null --plot -"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  ExpectParts(outcome.out, {"<svg", "as logged, evaluated", "ts x certified",
                            "SNIPS", "mean reward, 95 % intervals", "</svg>"});
}

TEST(Evaluate, NamesWhatItCannotEvaluate) {
  const auto expect = [](const std::string& flags,
                         const std::vector<std::string>& parts) {
    const Outcome outcome = RunProgram(EvaluateFourArms(flags));
    EXPECT_EQ(outcome.status, 2);
    ExpectOneLine(outcome.err);
    ExpectParts(outcome.err, parts);
  };
  expect("--level 1", {"level is 1"});
  expect("--learn-share 1", {"learn_share is 1"});
  expect("--draws 0", {"draws is 0"});
  expect("--clip -1", {"clip is -1"});
  expect("--policy ucb --accuracy 0.1", {"--accuracy", "elim"});
  expect("--also ucb,ucb", {"--also has ucb", "once"});
  expect("--learn-share 0.9975 --also ucb", {"ts: ", "four_arms.jsonl: "});
  expect("--policy ucb --also elim,ucb", {"--also has ucb", "once"});
  expect("--output /nowhere/rows", {"/nowhere/rows"});

  // Probabilities that are a tenth of what they were.
  const std::string wrong = std::regex_replace(
      Slurp(testing::TestFolder() / "data/logs/four_arms.jsonl"),
      std::regex("y\":0\\."), "y\":0.0");
  std::ofstream(Scratch() / "wrong.jsonl") << wrong;
  const Outcome noted = RunProgram(
      fmt::format("evaluate {}", (Scratch() / "wrong.jsonl").string()));
  EXPECT_EQ(noted.status, 0) << noted.err;
  ExpectParts(noted.out, {"should be 1", "probabilities are wrong"});

  // A log that does not say which arms there were.
  const std::string text =
      Slurp(testing::TestFolder() / "data/logs/four_arms.jsonl");
  const auto bare = Scratch() / "bare.jsonl";
  std::istringstream lines(text);
  std::ofstream file(bare);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(R"("event":"arm")") == std::string::npos) {
      file << line << '\n';
    }
  }
  file.close();
  const Outcome outcome = RunProgram("evaluate " + bare.string());
  EXPECT_EQ(outcome.status, 2);
  ExpectParts(outcome.err, {"does not say which arms there were", "--arms"});

  // The same arms from a file give the same as those of the log.
  const auto arms = Scratch() / "arms.npy";
  WriteFourArms(arms);
  const Outcome with =
      RunProgram(fmt::format("evaluate {} --arms {} --policy ucb --json",
                             bare.string(), arms.string()));
  ASSERT_EQ(with.status, 0) << with.err;
  const Outcome without = RunProgram(EvaluateFourArms("--policy ucb --json"));
  auto row = nlohmann::json::parse(with.out);
  auto same = nlohmann::json::parse(without.out);
  row.erase("log");
  same.erase("log");
  EXPECT_EQ(row, same);
  const Outcome none =
      RunProgram("evaluate " + bare.string() + " --arms /nowhere/arms.npy");
  EXPECT_EQ(none.status, 2);
  ExpectParts(none.err, {"/nowhere/arms.npy"});
}

TEST(CommandLineRows, AreRepeatableRunByRun) {
  const Outcome three =
      RunProgram("simulate --arms 30 --steps 50 --runs 3 --seed 4 --json");
  const Outcome third =
      RunProgram("simulate --arms 30 --steps 50 --seed 6 --json");
  std::istringstream lines(three.out);
  std::string line;
  for (int i = 0; i < 3; ++i) std::getline(lines, line);
  EXPECT_EQ(nlohmann::json::parse(line)["decision_digest"],
            nlohmann::json::parse(third.out)["decision_digest"]);
}

TEST(ConfigFile, OfBytesThatCannotBeShownIsQuotedInOneLineThatCan) {
  const auto path = Scratch() / "binary.toml";
  std::ofstream(path, std::ios::binary)
      << "\xff\xfe\x1b[31m\x7f\xc2\x9b caf\xc3\xa9 \xc3";
  const Outcome outcome = RunProgram("simulate --config " + path.string());
  EXPECT_EQ(outcome.status, 2);
  ExpectOneLine(outcome.err);
  ExpectParts(outcome.err, {"\\xff\\xfe\\x1b[31m\\x7f\\xc2\\x9b caf\xc3\xa9 "
                            "\\xc3"});
}

// Random bytes give a result or a one-line error, never a crash. Half of the
// files are damaged copies of a good one, which get further into the parser.
TEST(ConfigFile, OfRandomBytesIsReadOrRefused) {
  const std::string good =
      "[simulate]\npolicy=\"ts\"\narms=20\nsteps=5\nexploration=\"2\"\nnoise=1."
      "5\n";
  const auto path = Scratch() / "fuzz.toml";
  for (std::uint64_t i = 0; i < 60; ++i) {
    SCOPED_TRACE(fmt::format("seed {}", i));
    RandomStream random(i, RandomStream::Role::kPick, 0);
    std::string bytes = i % 2 == 0 ? good : std::string(40, ' ');
    const std::uint64_t changes = i % 2 == 0 ? 4 : bytes.size();
    for (std::uint64_t change = 0; change < changes; ++change) {
      bytes[random.Below(bytes.size())] = static_cast<char>(random.Below(256));
    }
    std::ofstream(path, std::ios::binary) << bytes;
    const Outcome outcome =
        RunProgram("simulate --steps 5 --runs 1 --arms 20 --dim 2 --config " +
                   path.string());
    EXPECT_TRUE(outcome.status == 0 || outcome.status == 2) << outcome.status;
    if (outcome.status == 2) ExpectOneLine(outcome.err);
  }
}

// Complete rows without the fields that differ from one reproduction to
// another.
std::vector<std::string> ComparableRows(const std::filesystem::path& folder) {
  std::ifstream file(folder / "rows.jsonl");
  std::vector<std::string> rows;
  for (std::string line; std::getline(file, line);) {
    auto row = nlohmann::json::parse(line, nullptr, false);
    if (row.is_discarded()) continue;
    row.erase("times");
    row.erase("origin");
    rows.push_back(row.dump());
  }
  std::ranges::sort(rows);
  return rows;
}

std::string SmallTables(const std::string& flags,
                        const std::filesystem::path& out) {
  return fmt::format("reproduce --experiments {0}/experiments {1} --out {2}",
                     testing::TestFolder().string(), flags, out.string());
}

// Sends an interrupt as soon as the first row is written. After a fixed time,
// the program might not handle signals yet, or be done, depending on the
// machine.
Outcome InterruptAfterFirstRow(const std::string& args,
                               const std::filesystem::path& out) {
  return RunCommand(
      fmt::format("sh -c '{} {} & until [ -s {}/rows.jsonl ]; do sleep 0.01; "
                  "kill -0 $! || break; done; kill -INT $!; wait $!'",
                  testing::Program().string(), args, out.string()));
}

TEST(Reproduce, ContinuesAfterAnInterrupt) {
  const std::string flags = "--tables 1,4 --runs 6";
  const Outcome whole = RunProgram(SmallTables(flags, Scratch() / "whole"));
  ASSERT_EQ(whole.status, 0) << whole.err;
  ExpectParts(whole.out, {"Table 1", "Table 4", "report.html"});

  const auto parts = Scratch() / "parts";
  const Outcome stopped =
      InterruptAfterFirstRow(SmallTables(flags, parts), parts);
  EXPECT_EQ(stopped.status, 2);
  ExpectParts(stopped.err, {"stopped after", "continues from there"});
  const std::size_t kept = ComparableRows(parts).size();
  EXPECT_GT(kept, 0U);
  EXPECT_LT(kept, ComparableRows(Scratch() / "whole").size());

  // A partial row, as a crash of the machine may leave.
  std::ofstream(parts / "rows.jsonl", std::ios::app) << R"({"settings":{"wor)";
  const Outcome rest = RunProgram(SmallTables(flags + " --threads 3", parts));
  EXPECT_EQ(rest.status, 0) << rest.err;
  ExpectParts(rest.err, {"is not a complete row", "already"});
  EXPECT_EQ(ComparableRows(parts), ComparableRows(Scratch() / "whole"));
}

TEST(Reproduce, PartsTogetherDoAllRuns) {
  const auto whole = Scratch() / "undivided";
  const auto parts = Scratch() / "divided";
  const std::string flags = "--tables 4 --runs 2";
  ASSERT_EQ(RunProgram(SmallTables(flags, whole)).status, 0);
  for (const char* part : {"1/3", "3/3"}) {
    const Outcome done = RunProgram(
        SmallTables(fmt::format("{} --part {}", flags, part), parts));
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_FALSE(std::filesystem::exists(parts / "tables.md"));
  }
  EXPECT_LT(ComparableRows(parts).size(), ComparableRows(whole).size());
  const Outcome rest = RunProgram(SmallTables(flags + " --part 2/3", parts));
  EXPECT_EQ(rest.status, 0) << rest.err;
  EXPECT_EQ(ComparableRows(parts), ComparableRows(whole));
}

TEST(Report, IsMadeFromRowsAlone) {
  const auto folder = Scratch() / "report";
  const Outcome made = RunProgram(SmallTables("--tables 4 --runs 2", folder));
  ASSERT_EQ(made.status, 0) << made.err;
  const std::string tables = Slurp(folder / "tables.md");
  const std::string page = Slurp(folder / "report.html");
  std::filesystem::remove(folder / "tables.md");
  std::filesystem::remove(folder / "report.html");
  const Outcome again =
      RunProgram(fmt::format("report {} --experiments {}/experiments",
                             folder.string(), testing::TestFolder().string()));
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(Slurp(folder / "tables.md"), tables);
  EXPECT_EQ(Slurp(folder / "report.html"), page);
}

TEST(Reproduce, SaysHowToGetTheDataAndDoesTheOtherTables) {
  const Outcome outcome =
      RunProgram(SmallTables("--tables 3,4 --runs 1", Scratch() / "no-data"));
  EXPECT_EQ(outcome.status, 0);
  ExpectParts(outcome.err, {"Table 3 is left out", "scripts/get-movielens"});
  ExpectParts(outcome.out, {"Table 4"});
}

TEST(Reproduce, ReportsRunsThatFailAndDoesTheOthers) {
  const auto tables = Scratch() / "odd-tables";
  std::filesystem::create_directories(tables);
  std::ofstream(tables / "table.json")
      << R"({"table": "1", "title": "t", "about": "a", "world": {"kind":
      "synthetic", "arms": 20, "dim": 2, "steps": 20, "add": 0, "remove": 0,
      "every": 5, "noise": 1}, "bandit": {"exploration": 1, "accuracy": 0.01,
      "regularisation": 1, "search": "scan"}, "settings": [{"name": "s",
      "algorithms": [{"name": "good", "policy": "ts"},
      {"name": "bad", "policy": "dice"}]}]})";
  const Outcome outcome = RunProgram(
      fmt::format("reproduce --tables 1 --runs 2 --experiments {} --out {}",
                  tables.string(), (Scratch() / "odd").string()));
  EXPECT_EQ(outcome.status, 2);
  ExpectParts(outcome.err, {"bad", "dice", "3 runs failed"});
  ExpectParts(outcome.out, {"good", "report.html"});
  EXPECT_EQ(ComparableRows(Scratch() / "odd").size(), 3U);
}

}  // namespace
}  // namespace manyarms
