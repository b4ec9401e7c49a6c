#include "reproduction/rows.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "in_a_folder.h"
#include "reproduction/origin.h"
#include "testing.h"

namespace manyarms::reproduction {
namespace {

namespace fs = std::filesystem;
using manyarms::testing::ExpectError;

RunResult SomeResult() {
  RunResult result;
  result.regret = 123.456789012345;
  result.setup_seconds = 0.25;
  result.run_seconds = 1.5;
  result.latency = {1, 2, 3, 4};
  result.latency_histogram.counts[0] = 5;
  result.latency_histogram.counts[3] = 7;
  result.curve = {{100, 61.23456789, 0.712345678}, {200, 123.456789, 1.5}};
  result.stats.arms_scored = 4321;
  result.stats.recoveries = 2;
  result.decision_digest = 0xabc;
  return result;
}

Json SomeSettings(std::uint64_t seed) {
  return {{"world",
           {{"kind", "synthetic"},
            {"arms", 50},
            {"steps", 200},
            {"theta_seed", seed}}},
          {"bandit", {{"policy", "ts"}, {"search", "scan"}}},
          {"seed", seed}};
}

Json SomeRow(std::uint64_t seed) {
  return MakeRow(SomeSettings(seed), SomeResult(), nullptr, DescribeOrigin(1));
}

TEST(MakeRow, HoldsSettingsAndResult) {
  const Json row = SomeRow(3);
  EXPECT_EQ(row.at("settings"), SomeSettings(3));
  EXPECT_EQ(row.at("regret"), 123.456789012345);
  EXPECT_EQ(row.at("arms_scored"), 4321);
  EXPECT_EQ(row.at("recoveries"), 2);
  EXPECT_EQ(row.at("decision_digest"), "0000000000000abc");
  EXPECT_EQ(row.at("curve").at("step"), (Json{100, 200}));
  EXPECT_EQ(row.at("origin"), DescribeOrigin(1));
  const Json& times = row.at("times");
  EXPECT_EQ(times.at("setup_seconds"), 0.25);
  EXPECT_EQ(times.at("run_seconds"), 1.5);
  EXPECT_EQ(times.at("latency_us"),
            (Json{{"p50", 1.0}, {"p99", 2.0}, {"p999", 3.0}, {"max", 4.0}}));
  EXPECT_EQ(times.at("latency_counts"), (Json{5, 0, 0, 7}));
}

TEST(MakeRow, RoundsCurvesToSixDigits) {
  RunResult result = SomeResult();
  result.curve = {{1, 0, 1.23456789e-7}, {2, 1234567.8, 0.1}};
  const Json row = MakeRow(SomeSettings(1), result, nullptr, {});
  EXPECT_EQ(row.at("curve").at("regret").dump(), "[0.0,1234570.0]");
  EXPECT_EQ(row.at("times").at("curve_seconds").dump(), "[1.23457e-07,0.1]");
}

TEST(MakeRow, HoldsTheDescriptionOfTheData) {
  EXPECT_FALSE(SomeRow(1).contains("data"));
  const Json data = {{"ratings", 1000}};
  EXPECT_EQ(MakeRow(SomeSettings(1), SomeResult(), data, {}).at("data"), data);
}

class Rows : public manyarms::testing::InAFolder {
 protected:
  void Append(std::uint64_t seed) const {
    RowFile(path_).Append(SomeRow(seed));
  }
  void AppendText(const std::string& text) const {
    std::ofstream(path_, std::ios::app) << text;
  }
  std::string Text() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }
  // Expects rows of exactly these seeds.
  static void ExpectSeeds(const ReadRows& read,
                          const std::vector<std::uint64_t>& seeds) {
    EXPECT_EQ(read.rows.size(), seeds.size());
    for (const std::uint64_t seed : seeds) {
      const auto found = read.rows.find(SomeSettings(seed).dump());
      ASSERT_NE(found, read.rows.end()) << seed;
      EXPECT_EQ(found->second, SomeRow(seed));
    }
  }

  const fs::path path_ = folder_ / "rows.jsonl";
};

TEST_F(Rows, SurviveWritingAndReading) {
  {
    RowFile file(path_);
    file.Append(SomeRow(1));
    file.Append(SomeRow(2));
  }
  Append(3);
  const ReadRows read = ReadRowFile(path_);
  ExpectSeeds(read, {1, 2, 3});
  EXPECT_TRUE(read.complaints.empty());
}

TEST_F(Rows, CanBeReadAsSoonAsTheyAreAppended) {
  RowFile file(path_);
  file.Append(SomeRow(1));
  ExpectSeeds(ReadRowFile(path_), {1});
}

TEST_F(Rows, AreEmptyWithoutAFile) {
  const ReadRows read = ReadRowFile(path_);
  EXPECT_TRUE(read.rows.empty());
  EXPECT_TRUE(read.complaints.empty());
}

TEST_F(Rows, CountOnceForTheSameSettings) {
  RowFile file(path_);
  Json row = SomeRow(1);
  for (const int regret : {1, 2}) {
    row["regret"] = regret;
    file.Append(row);
  }
  const ReadRows read = ReadRowFile(path_);
  ASSERT_EQ(read.rows.size(), 1U);
  EXPECT_EQ(read.rows.begin()->second.at("regret"), 2);
}

TEST_F(Rows, MustHaveAllFieldsThatTablesNeed) {
  for (const char* field :
       {"/settings/world/kind", "/settings/world/steps",
        "/settings/world/theta_seed", "/settings/bandit", "/settings/seed",
        "/regret", "/curve", "/curve/step", "/curve/regret/1", "/times",
        "/times/run_seconds", "/times/curve_seconds/0", "/times/latency_counts",
        "/arms_scored", "/decision_digest", "/origin", "/origin/cpu"}) {
    Json row = SomeRow(1);
    const Json::json_pointer where(field);
    Json& parent = row[where.parent_pointer()];
    if (parent.is_array()) {
      parent.erase(std::stoul(where.back()));
    } else {
      parent.erase(where.back());
    }
    std::filesystem::remove(path_);
    RowFile(path_).Append(row);
    const ReadRows read = ReadRowFile(path_);
    EXPECT_TRUE(read.rows.empty()) << field;
    EXPECT_EQ(read.complaints.size(), 1U) << field;
  }
}

TEST_F(Rows, AreNotLostAfterAPartialLine) {
  Append(1);
  Append(2);
  fs::resize_file(path_, fs::file_size(path_) - 20);
  const ReadRows half = ReadRowFile(path_);
  ExpectSeeds(half, {1});
  ASSERT_EQ(half.complaints.size(), 1U);
  EXPECT_EQ(half.complaints[0],
            path_.string() + ", line 2, is not a complete row");
  Append(3);
  Append(4);
  const ReadRows read = ReadRowFile(path_);
  ExpectSeeds(read, {1, 3, 4});
  EXPECT_EQ(read.complaints, half.complaints);
}

TEST_F(Rows, AreCompleteWithoutTheLastNewline) {
  Append(1);
  fs::resize_file(path_, fs::file_size(path_) - 1);
  ExpectSeeds(ReadRowFile(path_), {1});
  Append(2);
  const ReadRows read = ReadRowFile(path_);
  ExpectSeeds(read, {1, 2});
  EXPECT_TRUE(read.complaints.empty());
}

TEST_F(Rows, AreFoundAmongGarbage) {
  Append(1);
  AppendText("what is this?\n\n[1, 2]\n{\"regret\": 3}\n\xff\xfe\n");
  Append(2);
  const ReadRows read = ReadRowFile(path_);
  ExpectSeeds(read, {1, 2});
  ASSERT_EQ(read.complaints.size(), 4U);
  // Line 3 is empty, which is allowed.
  EXPECT_NE(read.complaints[0].find("line 2,"), std::string::npos);
  EXPECT_NE(read.complaints[1].find("line 4,"), std::string::npos);
  EXPECT_NE(read.complaints[2].find("line 5,"), std::string::npos);
  EXPECT_NE(read.complaints[3].find("line 6,"), std::string::npos);
}

TEST_F(Rows, AreNotChangedByOpeningTheFile) {
  Append(1);
  const std::string before = Text();
  { const RowFile file(path_); }
  EXPECT_EQ(Text(), before);
}

TEST_F(Rows, NeedAFileThatCanBeOpened) {
  ExpectError(ErrorCode::kIo, {"cannot write to", "missing"},
              [&] { RowFile(folder_ / "missing" / "rows.jsonl"); });
  ExpectError(ErrorCode::kIo, {"cannot write to", folder_.string()},
              [&] { const RowFile file(folder_); });
}

// If it counted as a file without rows, all runs would be repeated.
TEST_F(Rows, NeedAFileThatCanBeRead) {
  ExpectError(ErrorCode::kIo, {"cannot read", folder_.string()},
              [&] { ReadRowFile(folder_); });
}

TEST_F(Rows, AreAppendedByOneWriterAtATime) {
  const RowFile file(path_);
  ExpectError(ErrorCode::kIo, {"another run is writing", path_.string()},
              [&] { RowFile other(path_); });
}

TEST_F(Rows, CannotBeWrittenToAFullDisk) {
  RowFile file("/dev/full");
  ExpectError(ErrorCode::kIo,
              {"cannot write to /dev/full", "the rows before", "are kept"},
              [&] { file.Append(SomeRow(1)); });
}

// Limits the size of files, to imitate a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes)
      : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(Rows, AreWrittenCompletelyOrNotAtAll) {
  Append(1);
  const std::string before = Text();
  RowFile file(path_);
  {
    const FileSizeLimit limit(before.size() + 30);
    ExpectError(ErrorCode::kIo, {"cannot write to " + path_.string()},
                [&] { file.Append(SomeRow(2)); });
  }
  EXPECT_EQ(Text(), before);
  file.Append(SomeRow(3));
  const ReadRows read = ReadRowFile(path_);
  ExpectSeeds(read, {1, 3});
  EXPECT_TRUE(read.complaints.empty());
}

}  // namespace
}  // namespace manyarms::reproduction
