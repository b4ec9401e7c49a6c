// What is saved is read back.

#include <sstream>

#include "manyarms/bandit.h"
#include "saved_bytes.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::Bytes;
using testing::ExpectError;
using testing::Loaded;
using testing::MakeBandit;
using testing::Policies;
using testing::WithChecksum;

TEST(Saved, IsTheSameFileWhenLoadedAndSavedAgain) {
  for (const PolicyOptions& policy : Policies()) {
    const std::string bytes = Bytes(MakeBandit(policy));
    EXPECT_EQ(Bytes(Loaded(bytes)), bytes);
  }
}

TEST(Saved, KeepsTheOptionsOfEverySearch) {
  const std::vector<SearchOptions> searches = {
      CertifiedOptions{
          .background = false, .check_every = 3, .max_bytes = 54'321},
      HnswOptions{.shortlist = 7,
                  .metric = HnswOptions::Metric::kEuclidean,
                  .links = 5,
                  .build_effort = 11,
                  .effort = 13},
      LshOptions{.success = 0.8,
                 .reduction = Reduction::kPaper,
                 .min_depth = 1,
                 .max_bytes = 1e8},
      LshTheoryOptions{.accuracy = 0.5,
                       .delta = 0.01,
                       .copies = 2,
                       .min_depth = 0,
                       .threads = 2,
                       .max_bytes = 1e8}};
  for (const SearchOptions& search : searches) {
    const std::string bytes = Bytes(MakeBandit(ThompsonOptions{}, search));
    const Bandit loaded = Loaded(bytes);
    EXPECT_TRUE(loaded.options().search == search) << SearchName(search);
    EXPECT_EQ(Bytes(loaded), bytes);
  }
}

TEST(Saved, KeepsAllOtherOptions) {
  for (const PolicyOptions& policy : std::vector<PolicyOptions>{
           ThompsonOptions{TheoryRadius{.horizon = 7, .delta = 0.25}},
           EliminationOptions{.exploration = 0.5, .accuracy = 0.125},
           UcbOptions{3.0}}) {
    const BanditOptions options = {.dim = 5,
                                   .policy = policy,
                                   .search = ScanOptions{},
                                   .regularisation = 2.5,
                                   .negative_rewards = true,
                                   .seed = 12345,
                                   .max_pending = 77};
    EXPECT_TRUE(Loaded(Bytes(Bandit(options))).options() == options);
  }
}

TEST(Saved, KeepsNames) {
  Names names;
  Bandit bandit({.dim = 1});
  for (const char* name : {"news", "", "sport", "\xc3\xa9t\xc3\xa9"}) {
    bandit.Add(names.Add(name), std::vector<float>{1});
  }
  bandit.Remove(names.At("sport"));
  names.Remove(names.At("sport"));
  EXPECT_EQ(names.Add("news"), 0U);
  std::stringstream file;
  bandit.Save(file, &names);
  Names loaded;
  loaded.Add("what was here before");
  EXPECT_EQ(Bandit::Load(file, &loaded).size(), 3U);
  EXPECT_EQ(loaded.size(), 3U);
  EXPECT_EQ(loaded.Name(3), "\xc3\xa9t\xc3\xa9");
  EXPECT_EQ(loaded.At(""), 1U);
  EXPECT_FALSE(loaded.Contains("sport"));
  EXPECT_EQ(loaded.Add("sport"), 4U);  // no number twice
  ExpectError(ErrorCode::kUnknownId, {"'weather'", "among 4"},
              [&] { loaded.At("weather"); });
}

TEST(Saved, HasNamesInUtf8) {
  Names names;
  for (const char* name : {"\xff", "caf\xe9", "\xed\xa0\x80"}) {
    ExpectError(ErrorCode::kInvalidArgument, {"not UTF-8", "counted from 0"},
                [&] { names.Add(name); });
  }
  EXPECT_EQ(names.size(), 0U);
  EXPECT_EQ(names.given(), 0U);

  Bandit bandit({.dim = 1});
  bandit.Add(names.Add("caf\xc3\xa9"), std::vector<float>{1});
  std::ostringstream out;
  bandit.Save(out, &names);
  std::string forged = out.str().substr(0, out.str().size() - 4);
  const std::size_t place = forged.find("caf\xc3\xa9");
  ASSERT_NE(place, std::string::npos);
  forged[place + 3] = '\xff';
  ExpectError(ErrorCode::kCorrupt, {"not UTF-8"},
              [&] { Loaded(WithChecksum(forged)); });
}

TEST(Saved, RefusesNamesThatAreNotThoseOfTheArms) {
  Names names;
  Bandit bandit({.dim = 1});
  bandit.Add(names.Add("here"), std::vector<float>{1});
  names.Add("elsewhere");
  std::ostringstream out;
  ExpectError(ErrorCode::kInvalidArgument, {"2 names", "1 arms"},
              [&] { bandit.Save(out, &names); });
  names.Remove(names.At("here"));
  ExpectError(ErrorCode::kInvalidArgument, {"1 names", "1 arms"},
              [&] { bandit.Save(out, &names); });
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace manyarms
