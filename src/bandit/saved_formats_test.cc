// Files of earlier versions are read, and those of later versions are refused.

#include <fmt/format.h>

#include <filesystem>

#include "manyarms/bandit.h"
#include "paths.h"
#include "policy/kinds.h"
#include "saved_bytes.h"
#include "search/kinds.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::Bytes;
using testing::ExpectError;
using testing::Loaded;
using testing::MakeBandit;
using testing::Policies;
using testing::WithChecksum;

std::filesystem::path SavedFolder() {
  return testing::TestFolder() / "data" / "saved";
}

// Numbers in files stay what they are, wherever an alternative stands in the
// variant.
TEST(Saved, NamesKindsByNumbersThatStay) {
  const auto tag = [](auto kind, const auto&) { return int{kind.kTag}; };
  const auto search = [&](const SearchOptions& options) {
    return SearchKinds::Visit(options, tag);
  };
  EXPECT_EQ(search(CertifiedOptions{}), 0);
  EXPECT_EQ(search(ScanOptions{}), 1);
  EXPECT_EQ(search(HnswOptions{}), 2);
  EXPECT_EQ(search(LshOptions{}), 3);
  EXPECT_EQ(search(LshTheoryOptions{}), 4);
  const auto policy = [&](const PolicyOptions& options) {
    return PolicyKinds::Visit(options, tag);
  };
  EXPECT_EQ(policy(ThompsonOptions{}), 0);
  EXPECT_EQ(policy(EliminationOptions{}), 1);
  EXPECT_EQ(policy(UcbOptions{}), 2);
}

// Files that earlier versions have left, of the bandit that MakeBandit makes.
TEST(Saved, ReadsEarlierFormats) {
  const std::vector<std::string> names = {"ts", "elim", "ucb"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    Bandit loaded = Bandit::Load(SavedFolder() / ("format-1-" + names[i]));
    Bandit expected = MakeBandit(Policies()[i]);
    EXPECT_EQ(loaded.Ids(), expected.Ids());
    EXPECT_EQ(loaded.pending(), expected.pending());
    for (int t = 0; t < 50; ++t) {
      const Decision decision = loaded.Choose();
      ASSERT_EQ(decision.arm, expected.Choose().arm);
      loaded.Learn(decision, 0.1 * t);
      expected.Learn(decision, 0.1 * t);
    }
  }
}

// Expects that the file holds a bandit with these options, 20 arms of 3
// features with names and ten choices, of which those not divisible by 3 were
// rewarded, and that it decides as a bandit that has just been made like that.
void ExpectFileOf(const std::filesystem::path& path,
                  const BanditOptions& options) {
  Bandit expected(options);
  expected.Add(testing::FirstIds(20), testing::GaussianRows(20, 3, 1));
  for (int t = 0; t < 10; ++t) {
    const Decision decision = expected.Choose();
    if (t % 3 != 0) expected.Learn(decision, 0.1 * t);
  }
  Names names;
  Bandit loaded = Bandit::Load(path, &names);
  EXPECT_EQ(loaded.options(), options) << path;
  EXPECT_EQ(loaded.Ids(), expected.Ids());
  EXPECT_EQ(loaded.pending(), expected.pending());
  EXPECT_EQ(names.Name(7), "arm-7");
  for (int t = 0; t < 30; ++t) {
    const Decision decision = loaded.Choose();
    ASSERT_EQ(decision.arm, expected.Choose().arm) << path << ' ' << t;
    loaded.Learn(decision, 0.1 * t);
    expected.Learn(decision, 0.1 * t);
  }
}

// Files of format 2 as version 0.5.0 wrote them, of every policy with every
// search, with options that are not the defaults.
TEST(Saved, ReadsFormatTwoWithAllOptions) {
  const std::vector<std::pair<std::string, PolicyOptions>> policies = {
      {"ts", ThompsonOptions{.exploration = 1.5}},
      {"elim", EliminationOptions{.exploration = TheoryRadius{.horizon = 500,
                                                              .delta = 0.1},
                                  .accuracy = 0.05}},
      {"ucb", UcbOptions{.exploration = 0.75}}};
  const std::vector<std::pair<std::string, SearchOptions>> searches = {
      {"certified", CertifiedOptions{.background = false, .check_every = 7}},
      {"scan", ScanOptions{}},
      {"hnsw", HnswOptions{.shortlist = 3,
                           .metric = HnswOptions::Metric::kEuclidean,
                           .links = 5,
                           .build_effort = 50,
                           .effort = 9}},
      {"lsh", LshOptions{.success = 0.8,
                         .reduction = Reduction::kPaper,
                         .min_depth = 1,
                         .max_bytes = 1e7}},
      {"lsh-theory", LshTheoryOptions{.accuracy = 0.5,
                                      .delta = 0.2,
                                      .reduction = Reduction::kPaper,
                                      .copies = 2,
                                      .min_depth = 0,
                                      .threads = 2,
                                      .max_bytes = 2e7}}};
  int files = 0;
  for (const auto& [policy_name, policy] : policies) {
    for (const auto& [search_name, search] : searches) {
      const std::filesystem::path path =
          SavedFolder() /
          fmt::format("format-2-{}-{}", policy_name, search_name);
      if (!std::filesystem::exists(path)) continue;  // ucb is not served by all
      ++files;
      ASSERT_NO_FATAL_FAILURE(
          ExpectFileOf(path, {.dim = 3,
                              .policy = policy,
                              .search = search,
                              .regularisation = 0.5,
                              .negative_rewards = search_name == "scan",
                              .seed = 9,
                              .max_pending = 1000}));
    }
  }
  EXPECT_EQ(files, 12);
}

// A file of format 3, which has the limit of memory of certified search.
TEST(Saved, ReadsFormatThreeWithALimitOfMemory) {
  ExpectFileOf(SavedFolder() / "format-3-ucb-certified",
               {.dim = 3,
                .policy = UcbOptions{.exploration = 0.75},
                .search = CertifiedOptions{.background = false,
                                           .check_every = 7,
                                           .max_bytes = 123'456},
                .regularisation = 0.5,
                .seed = 9,
                .max_pending = 1000});
}

// A file of format 4, which knows whether there is a first pass and has the
// inverse factor.
TEST(Saved, ReadsFormatFourWithTheInverse) {
  ExpectFileOf(SavedFolder() / "format-4-ucb-certified",
               {.dim = 3,
                .policy = UcbOptions{.exploration = 0.75},
                .search = CertifiedOptions{.background = false,
                                           .check_every = 7,
                                           .max_bytes = 123'456,
                                           .first_pass = false},
                .regularisation = 0.5,
                .seed = 9,
                .max_pending = 1000});
}

// A file of format 5, which has a prior.
TEST(Saved, ReadsFormatFiveWithAPrior) {
  ExpectFileOf(
      SavedFolder() / "format-5-ucb-certified",
      {.dim = 3,
       .policy = UcbOptions{.exploration = 0.75},
       .search = CertifiedOptions{.background = false,
                                  .check_every = 7,
                                  .max_bytes = 123'456,
                                  .first_pass = false},
       .regularisation = 0.5,
       .prior = GaussianPrior{.mean = {1, 0, -2},
                              .precision = {2, 1, 0, 1, 2, 0, 0, 0, 3}},
       .seed = 9,
       .max_pending = 1000});
}

TEST(Saved, SaysSoWhenTheFormatIsOfALaterVersion) {
  const std::string whole = Bytes(MakeBandit(ThompsonOptions{}));
  std::string later = whole.substr(0, whole.size() - 4);
  later[8] = 77;
  ExpectError(ErrorCode::kUnsupported, {"format 77", "up to"},
              [&] { Loaded(WithChecksum(later)); });
}

}  // namespace
}  // namespace manyarms
