#include "manyarms/population.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <type_traits>

#include "manyarms/random.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;
using testing::FirstIds;
using testing::GaussianRows;
using Role = RandomStream::Role;

constexpr std::size_t kDim = 4;

std::vector<float> Row(ArmId arm) {
  std::vector<float> row(kDim);
  RandomStream(3, Role::kArm, arm).Gaussians(row);
  return row;
}

// A learner's reward for an arm, with noise that depends on the time.
double Reward(const LearnerKey& learner, ArmId arm, std::uint64_t time) {
  const std::uint64_t taste =
      learner.is_number() ? learner.number() : learner.text().size();
  std::vector<double> theta(kDim);
  RandomStream(taste, Role::kTheta, 1).Gaussians(theta);
  const std::vector<float> row = Row(arm);
  double mean = 0;
  for (std::size_t j = 0; j < kDim; ++j) mean += theta[j] * row[j];
  return mean + 0.3 * RandomStream(taste, Role::kNoise, time).Gaussian();
}

template <class Learns>
void AddArms(Learns& learns, ArmId first, ArmId last) {
  for (ArmId id = first; id < last; ++id) learns.Add(id, Row(id));
}

struct Case {
  std::string name;
  PopulationOptions options;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.name;
  }
};

std::vector<Case> ExactCases() {
  std::vector<Case> cases;
  for (const bool negative : {false, true}) {
    const auto add = [&](const std::string& name, const PolicyOptions& policy,
                         const SearchOptions& search) {
      cases.push_back({name + (negative ? "Negative" : ""),
                       {.dim = kDim,
                        .policy = policy,
                        .search = search,
                        .negative_rewards = negative,
                        .seed = 5}});
    };
    add("ThompsonScan", ThompsonOptions{}, ScanOptions{});
    add("ThompsonCertified", ThompsonOptions{}, CertifiedOptions{});
    add("ThompsonForeground", ThompsonOptions{},
        CertifiedOptions{.background = false});
    add("UcbScan", UcbOptions{}, ScanOptions{});
    add("UcbCertified", UcbOptions{}, CertifiedOptions{.background = false});
    add("UcbWithoutFirstPass", UcbOptions{},
        CertifiedOptions{.first_pass = false});
  }
  return cases;
}

class ExactPopulations : public ::testing::TestWithParam<Case> {};

// Several learners live through choices, slates, eligible arms, late, missing
// and foreign rewards, while arms come, change and go. Each makes the decisions
// of a bandit that lives through the same.
TEST_P(ExactPopulations, LearnersDecideAsLoneBanditsDo) {
  const std::vector<LearnerKey> keys = {0U, 7U, "7", "Zoë", ~std::uint64_t{0}};
  Population population(GetParam().options);
  std::map<LearnerKey, Bandit> bandits;
  for (const LearnerKey& key : keys) {
    bandits.emplace(key, Bandit(population.LoneOptions(key)));
  }
  const auto all = [&](const auto& change) {
    change(population);
    for (auto& [key, bandit] : bandits) change(bandit);
  };
  constexpr ArmId kArms = 10'000;  // enough for first passes
  all([&](auto& learns) { AddArms(learns, 0, kArms); });

  struct Waiting {
    LearnerKey key;
    Decision ours;
    Decision theirs;
  };
  std::vector<Waiting> waiting;
  RandomStream random(1, Role::kChurn, 1);
  for (std::uint64_t t = 0; t < 1500; ++t) {
    if (t % 50 == 10) {
      all([&](auto& learns) { AddArms(learns, kArms + t, kArms + t + 3); });
    }
    if (t % 50 == 20) {
      const ArmId gone = population.Ids()[random.Below(population.size())];
      all([&](auto& learns) { learns.Remove(gone); });
    }
    if (t % 50 == 30) {
      const ArmId changed = population.Ids()[random.Below(population.size())];
      std::vector<float> row = Row(changed);
      row[0] = -row[0];
      const FeatureRows rows(row.data(), 1, kDim, {.row = kDim});
      all([&](auto& learns) { learns.Update(std::span(&changed, 1), rows); });
    }
    // The first keys choose more often.
    const LearnerKey& key =
        keys[std::min(random.Below(keys.size()), random.Below(keys.size()))];
    Bandit& bandit = bandits.at(key);
    std::vector<Decision> ours;
    std::vector<Decision> theirs;
    switch (t % 7) {
      case 0:
        ours = population.ChooseBest(key, 5);
        theirs = bandit.ChooseBest(5);
        break;
      case 1: {
        std::vector<ArmId> some = population.Ids();
        std::erase_if(some, [t](ArmId id) { return id % 3 != t % 3; });
        ours = {population.Choose(key, some)};
        theirs = {bandit.Choose(some)};
        break;
      }
      default:
        ours = {population.Choose(key)};
        theirs = {bandit.Choose()};
    }
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      ASSERT_EQ(ours[i].arm, theirs[i].arm) << "step " << t;
      ASSERT_EQ(ours[i].score, theirs[i].score);
      waiting.push_back({key, ours[i], theirs[i]});
    }
    // Rewards come late and in any order, and some never.
    while (waiting.size() > 20) {
      const std::size_t which = random.Below(waiting.size());
      std::swap(waiting[which], waiting.back());
      const Waiting done = waiting.back();
      waiting.pop_back();
      if (t % 5 == 0) {
        population.Dismiss(done.key, done.ours.id);
        bandits.at(done.key).Dismiss(done.theirs.id);
        continue;
      }
      const double reward = Reward(done.key, done.ours.arm, t);
      population.Learn(done.key, done.ours.id, reward);
      bandits.at(done.key).Learn(done.theirs.id, reward);
    }
    if (t % 11 == 0) {
      population.Observe(key, Row(t), 0.5);
      bandit.Observe(Row(t), 0.5);
    }
  }
  for (const LearnerKey& key : keys) {
    const Bandit& bandit = bandits.at(key);
    const std::vector<ArmId> ids = population.Ids();
    EXPECT_EQ(population.Mean(key), bandit.Mean());
    EXPECT_EQ(population.Predict(key, Row(9)), bandit.Predict(Row(9)));
    EXPECT_EQ(population.Scores(key, ids), bandit.Scores(ids));
    EXPECT_EQ(population.Uncertainty(key, ids), bandit.Uncertainty(ids));
    EXPECT_EQ(population.Describe(key).pending, bandit.pending());
  }
  const auto* certified =
      std::get_if<CertifiedOptions>(&GetParam().options.search);
  if (certified != nullptr && certified->first_pass) {
    EXPECT_GT(population.stats().first_passes, 0U);
    if (!certified->background) {
      EXPECT_GT(population.stats().snapshots, 0U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ExactPopulations,
                         ::testing::ValuesIn(ExactCases()),
                         [](const auto& c) { return c.param.name; });

std::string Bytes(const Population& population) {
  std::ostringstream out;
  population.Save(out);
  return out.str();
}

PopulationOptions Small() { return {.dim = kDim}; }

TEST(Population, KnowsLearnersFromTheirFirstCallOn) {
  Population population(Small());
  AddArms(population, 0, 10);
  EXPECT_EQ(population.learners(), 0U);
  population.Choose("a");
  population.Observe(3U, ArmId{1}, 1.0);
  EXPECT_TRUE(population.Knows("a"));
  EXPECT_TRUE(population.Knows(3U));
  EXPECT_FALSE(population.Knows("3"));
  EXPECT_EQ(population.Learners(), (std::vector<LearnerKey>{3U, "a"}));
  EXPECT_EQ(population.Describe("a").choices, 1U);
  EXPECT_EQ(population.Describe("a").pending, 1U);
  EXPECT_EQ(population.Describe(3U).rewards, 1U);
  // Questions about a learner do not make one.
  population.Predict("b", Row(0));
  EXPECT_FALSE(population.Knows("b"));
}

TEST(Population, ChoosesAndLearnsForManyAtOnceAsOneByOne) {
  Population together(Small());
  Population one_by_one(Small());
  AddArms(together, 0, 2000);
  AddArms(one_by_one, 0, 2000);
  for (std::uint64_t t = 0; t < 20; ++t) {
    std::vector<LearnerKey> keys;
    keys.reserve(100);
    for (std::uint64_t i = 0; i < 100; ++i) keys.emplace_back(i * i % 37);
    const std::vector<Decision> decisions = together.ChooseFor(keys);
    std::vector<DecisionId> ids;
    std::vector<double> rewards;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Decision expected = one_by_one.Choose(keys[i]);
      ASSERT_EQ(decisions[i].id, expected.id);
      ASSERT_EQ(decisions[i].arm, expected.arm);
      ids.push_back(expected.id);
      rewards.push_back(Reward(keys[i], expected.arm, t));
    }
    together.LearnFor(keys, ids, rewards);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      one_by_one.Learn(keys[i], ids[i], rewards[i]);
    }
    ASSERT_EQ(Bytes(together), Bytes(one_by_one));
    // All or none. The first learner chooses once more.
    const Decision again = together.Choose(keys[0]);
    one_by_one.Choose(keys[0]);
    keys.back() = keys[0];
    std::iota(ids.begin(), ids.end(), DecisionId{1});
    ids[0] = ids.back() = again.id;
    ExpectError(ErrorCode::kDuplicateId, {"twice"},
                [&] { together.LearnFor(keys, ids, rewards); });
    ids.back() = ids.size();
    ExpectError(ErrorCode::kUnknownId, {},
                [&] { together.LearnFor(keys, ids, rewards); });
    ASSERT_EQ(Bytes(together), Bytes(one_by_one));
  }
  EXPECT_TRUE(together.ChooseFor({}).empty());
  Population empty(Small());
  const std::vector<LearnerKey> keys = {1U, 2U};
  ExpectError(ErrorCode::kNoArms, {"no arms"}, [&] { empty.ChooseFor(keys); });
  EXPECT_EQ(empty.learners(), 0U);
}

TEST(Population, ReturnsTheFeaturesThatItWasGiven) {
  const std::vector<float> rows = testing::GaussianRows(4, 3, 1);
  const std::vector<ArmId> ids = {2, 0};
  for (const PopulationOptions& options :
       {PopulationOptions{.dim = 3},
        PopulationOptions{.dim = 3, .negative_rewards = true},
        PopulationOptions{.dim = 3, .context_dim = 2}}) {
    Population population(options);
    population.Add(testing::FirstIds(4), rows);
    const std::vector<float> features = population.Features(ids);
    ASSERT_EQ(features.size(), 6);
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_FLOAT_EQ(features[j], rows[6 + j]);
      EXPECT_FLOAT_EQ(features[3 + j], rows[j]);
    }
    ExpectError(ErrorCode::kUnknownId, {"9"},
                [&] { population.Features({{ArmId{9}}}); });
  }
}

TEST(Population, AForgottenLearnerBeginsAnew) {
  Population population(Small());
  AddArms(population, 0, 100);
  const auto live = [&] {
    std::vector<ArmId> arms;
    for (std::uint64_t t = 0; t < 50; ++t) {
      const Decision decision = population.Choose("a");
      arms.push_back(decision.arm);
      population.Learn("a", decision.id, Reward("a", decision.arm, t));
    }
    return arms;
  };
  const std::vector<ArmId> first = live();
  EXPECT_NE(live(), first);
  population.Forget("a");
  EXPECT_EQ(population.learners(), 0U);
  EXPECT_EQ(live(), first);
}

// Every call that fails leaves everything as it was.
TEST(Population, RefusesBadInputAndChangesNothing) {
  Population population(Small());
  const auto error = [&](ErrorCode code, const std::vector<std::string>& parts,
                         const auto& work) {
    const std::string before = Bytes(population);
    ExpectError(code, parts, work);
    EXPECT_EQ(Bytes(population), before);
  };
  error(ErrorCode::kNoArms, {"no arms"}, [&] { population.Choose("a"); });
  EXPECT_FALSE(population.Knows("a"));
  AddArms(population, 0, 10);
  const Decision decision = population.Choose("a");
  const Decision other = population.Choose("b");
  const auto code = ErrorCode::kUnknownId;
  error(code, {"no learner \"c\""},
        [&] { population.Learn("c", decision.id, 1); });
  error(code, {"no learner 5"}, [&] { population.Forget(5U); });
  error(code, {"no learner 5"}, [&] { population.Describe(5U); });
  error(code, {"no learner 5"}, [&] { population.Export(5U); });
  error(code, {"no learner 5"}, [&] { population.Dismiss(5U, 1); });
  error(code, {"not one of learner \"a\""},
        [&] { population.Learn("a", other.id, 1); });
  error(code, {"not one of learner \"a\""},
        [&] { population.Dismiss("a", other.id); });
  error(code, {"has not been made"},
        [&] { population.Learn("a", decision.id + 1, 1); });
  error(ErrorCode::kInvalidArgument, {"reward"},
        [&] { population.Learn("a", decision.id, NAN); });
  error(ErrorCode::kInvalidArgument, {"reward"},
        [&] { population.Observe("c", ArmId{1}, 1e10); });
  error(code, {"no arm 99"}, [&] { population.Observe("c", ArmId{99}, 1); });
  error(ErrorCode::kInvalidArgument, {"3"},
        [&] { population.Observe("c", std::vector<float>(3), 1); });
  error(ErrorCode::kInvalidArgument, {"2 rewards given for 1"}, [&] {
    population.Learn("a", std::span(&decision.id, 1),
                     std::vector<double>{1, 2});
  });
  const std::vector<DecisionId> twice = {decision.id, decision.id};
  error(ErrorCode::kDuplicateId, {"twice"}, [&] {
    population.Learn("a", twice, std::vector<double>{1, 2});
  });
  error(code, {"no arm 99"},
        [&] { population.Choose("c", std::vector<ArmId>{99}); });
  error(ErrorCode::kInvalidArgument, {"UTF-8"},
        [&] { population.Choose("\xff"); });
  EXPECT_FALSE(population.Knows("c"));
  EXPECT_EQ(population.Describe("a").rewards, 0U);
  population.Learn("a", decision.id, 1);
  error(code, {"learned or dismissed already"},
        [&] { population.Learn("a", decision.id, 1); });
}

TEST(Population, RefusesOptionsThatCannotWork) {
  const auto make = [](const PopulationOptions& options) {
    return [options] { const Population population(options); };
  };
  ExpectError(ErrorCode::kUnsupported, {"elim", "ts or ucb"},
              make({.dim = 2, .policy = EliminationOptions{}}));
  ExpectError(
      ErrorCode::kUnsupported, {"ucb"},
      make({.dim = 2, .policy = UcbOptions{}, .search = HnswOptions{}}));
  ExpectError(ErrorCode::kInvalidArgument, {"dimension"}, make({.dim = 0}));
  ExpectError(ErrorCode::kInvalidArgument, {"order budget is 0"},
              make({.dim = 2, .order_budget = 0}));
  ExpectError(ErrorCode::kInvalidArgument, {"pending"},
              make({.dim = 2, .max_pending = 0}));
  ExpectError(ErrorCode::kInvalidArgument, {"exploration is -1"},
              make({.dim = 2, .policy = ThompsonOptions{-1}}));
  ExpectError(ErrorCode::kInvalidArgument, {"regularisation"},
              make({.dim = 2, .regularisation = 0}));
}

// Approximate searches serve populations, too: a removed arm is never chosen,
// and what is learned is what a bandit would learn.
TEST(Population, TakesEverySearch) {
  for (const SearchOptions& search : std::vector<SearchOptions>{
           HnswOptions{}, LshOptions{},
           LshTheoryOptions{.accuracy = 1, .copies = 2}}) {
    Population population({.dim = kDim, .search = search});
    AddArms(population, 0, 300);
    std::vector<ArmId> removed;
    for (std::uint64_t t = 0; t < 100; ++t) {
      const LearnerKey key = t % 3;
      const Decision decision = population.Choose(key);
      EXPECT_EQ(std::ranges::count(removed, decision.arm), 0);
      population.Learn(key, decision.id, Reward(key, decision.arm, t));
      if (t % 10 == 0) {
        population.Remove(decision.arm);
        removed.push_back(decision.arm);
      }
    }
    EXPECT_EQ(population.learners(), 3U);
  }
}

TEST(Population, ChoosesFromAMask) {
  Population population(Small());
  AddArms(population, 0, 30);
  const auto mask = std::make_unique<bool[]>(30);
  const std::vector<ArmId> ids = population.Ids();
  for (std::size_t i = 0; i < 30; ++i) mask[i] = ids[i] % 5 == 2;
  for (int t = 0; t < 20; ++t) {
    const std::span<const bool> fifth(mask.get(), 30);
    EXPECT_EQ(population.Choose("a", fifth).arm % 5, 2U);
    EXPECT_EQ(population.ChooseBest("a", 10, fifth).size(), 6U);
  }
  ExpectError(ErrorCode::kInvalidArgument, {"length 29"}, [&] {
    population.Choose("a", std::span<const bool>(mask.get(), 29));
  });
}

// Learners keep their random numbers from one version to the next.
TEST(Population, SeedsOfLearnersNeverChange) {
  const Population population({.dim = kDim, .seed = 5});
  EXPECT_EQ(population.LoneOptions(0).seed, 15516986213970355258U);
  EXPECT_EQ(population.LoneOptions(7).seed, 14675233672466360852U);
  EXPECT_EQ(population.LoneOptions("7").seed, 17237874137035623285U);
  EXPECT_EQ(population.LoneOptions("Zoë").seed, 16709815437889258232U);
  EXPECT_EQ(population.LoneOptions("").seed, 11615472822296451535U);
}

TEST(Population, KeepsTheLatestDecisionsOfEachLearner) {
  Population population({.dim = kDim, .max_pending = 3});
  AddArms(population, 0, 10);
  std::vector<Decision> decisions;
  decisions.reserve(5);
  for (int t = 0; t < 5; ++t) decisions.push_back(population.Choose("a"));
  for (int t = 0; t < 9; ++t) population.Choose("b");
  EXPECT_EQ(population.Describe("a").pending, 3U);
  ExpectError(ErrorCode::kUnknownId, {"3 or more have been made since"},
              [&] { population.Learn("a", decisions[1].id, 1); });
  for (std::size_t t = 2; t < 5; ++t) population.Learn("a", decisions[t].id, 1);
  EXPECT_EQ(population.Describe("a").pending, 0U);
  // Numbers go on after all were learned.
  EXPECT_EQ(population.Choose("a").id, decisions[4].id + 1);
  ExpectError(ErrorCode::kInvalidArgument, {"4", "max_pending"},
              [&] { population.ChooseBest("a", 4); });
}

// The posterior of a learner that has an order becomes an earlier one, with an
// earlier version, or none. An order of the later one must not be used.
TEST(Population, AnOrderDoesNotOutliveItsLearner) {
  constexpr std::size_t kArms = 20'000;
  const std::vector<float> rows = GaussianRows(kArms, kDim, 1);
  for (const PolicyOptions& policy :
       std::vector<PolicyOptions>{ThompsonOptions{}, UcbOptions{}}) {
    Population population(
        {.dim = kDim,
         .policy = policy,
         .search = CertifiedOptions{.background = false, .check_every = 1}});
    population.Add(FirstIds(kArms), rows);
    const auto live = [&](int steps, std::size_t feature) {
      for (int t = 0; t < steps; ++t) {
        const Decision decision = population.Choose("a");
        population.Learn("a", decision.id, rows[decision.arm * kDim + feature]);
      }
    };
    live(20, 0);
    const auto early = population.Export("a");
    live(1000, 1);
    EXPECT_GT(population.stats().snapshots, 0U);
    EXPECT_EQ(population.stats().finders, 1U);
    population.Import("a", early);
    EXPECT_EQ(population.stats().finders, 0U);
    live(300, 2);
    EXPECT_EQ(population.stats().finders, 1U);
    // What is known of arms was known by more than is left.
    population.Forget("a", 0.9);
    EXPECT_EQ(population.stats().finders, 0U);
    live(300, 3);
    population.Forget("a");
    EXPECT_EQ(population.stats().finders, 0U);
    live(300, 3);
  }
}

TEST(LearnerKey, TellsNumbersFromTexts) {
  EXPECT_TRUE(LearnerKey(0).is_number());
  EXPECT_EQ(LearnerKey(-0).number(), 0U);
  EXPECT_EQ(LearnerKey(~std::uint64_t{0}).number(), ~std::uint64_t{0});
  EXPECT_EQ(LearnerKey("").text(), "");
  EXPECT_EQ(LearnerKey(std::string("a\0b", 3)).text().size(), 3U);
  EXPECT_NE(LearnerKey("7"), LearnerKey(7));
  EXPECT_LT(LearnerKey(7), LearnerKey(""));
  ExpectError(ErrorCode::kInvalidArgument, {"-3", "negative"},
              [] { const LearnerKey key(-3); });
  ExpectError(ErrorCode::kInvalidArgument, {"null"}, [] {
    const char* const none = nullptr;
    const LearnerKey key(none);
  });
  static_assert(!std::is_constructible_v<LearnerKey, bool>);
  static_assert(!std::is_constructible_v<LearnerKey, char>);
  static_assert(!std::is_constructible_v<LearnerKey, double>);
  static_assert(!std::is_constructible_v<LearnerKey, std::nullptr_t>);
}

TEST(Population, ARestingLearnerIsSmall) {
  for (const PolicyOptions& policy :
       std::vector<PolicyOptions>{ThompsonOptions{}, UcbOptions{}}) {
    Population population({.dim = 16, .policy = policy});
    population.Add(FirstIds(20), GaussianRows(20, 16, 1));
    constexpr std::uint64_t kLearners = 10'000;
    for (std::uint64_t key = 0; key < kLearners; ++key) {
      const Decision decision = population.Choose(key);
      population.Learn(key, decision.id, 1);
    }
    const PopulationStats stats = population.stats();
    EXPECT_EQ(stats.learners, kLearners);
    EXPECT_LE(stats.learner_bytes / kLearners, 1600U);
    EXPECT_GE(stats.learner_bytes / kLearners, 1224U);
  }
}

// Up to 32 features learners invert their factor, and with more they keep the
// inverse: learners take turns, are exported and saved, and decide as lone
// bandits do.
TEST(Population, DecidesAsLoneBanditsWithAndWithoutAKeptInverse) {
  for (const std::size_t dim : {32U, 33U}) {
    constexpr std::size_t kArms = 200;
    constexpr std::uint64_t kLearners = 3;
    const std::vector<float> rows = GaussianRows(kArms, dim, 1);
    Population population({.dim = dim, .policy = UcbOptions{}});
    population.Add(FirstIds(kArms), rows);
    std::vector<Bandit> lone;
    for (std::uint64_t key = 0; key < kLearners; ++key) {
      lone.emplace_back(population.LoneOptions(key));
      lone.back().Add(FirstIds(kArms), rows);
    }
    for (std::uint64_t t = 0; t < 400; ++t) {
      const std::uint64_t key = t * t % kLearners;
      const Decision decision = population.Choose(key);
      const Decision expected = lone[key].Choose();
      ASSERT_EQ(decision.arm, expected.arm) << dim << ' ' << t;
      ASSERT_EQ(decision.score, expected.score);
      if (t % 5 != 0) {  // several choices without a reward, too
        const double reward = rows[decision.arm * dim + key];
        population.Learn(key, decision.id, reward);
        lone[key].Learn(expected, reward);
      }
      if (t == 150) population.Import(key, population.Export(key));
      if (t == 250) {
        std::stringstream file;
        population.Save(file);
        population = Population::Load(file);
      }
    }
  }
}

// Learners that choose often get orders, within the budget, and lose them to
// those that choose more often; decisions are those of a scan all the while.
TEST(Population, OrdersStayWithinTheirBudget) {
  constexpr std::size_t kArms = 20'000;
  constexpr std::size_t kFeatures = 8;
  const std::vector<float> rows = GaussianRows(kArms, kFeatures, 1);
  constexpr std::size_t kBudget = std::size_t{256} << 10;
  Population population(
      {.dim = kFeatures,
       .search = CertifiedOptions{.background = false, .check_every = 7},
       .order_budget = kBudget});
  population.Add(FirstIds(kArms), rows);
  std::uint64_t most_finders = 0;
  RandomStream random(1, Role::kChurn, 1);
  for (std::uint64_t t = 0; t < 6000; ++t) {
    // A few favourites, others than before from time to time.
    const std::uint64_t key =
        t % 4 == 0 ? random.Below(500) : t / 1500 * 10 + random.Below(10);
    const Decision decision = population.Choose(key);
    population.Learn(key, decision.id,
                     rows[decision.arm * kFeatures + key % kFeatures]);
    const PopulationStats stats = population.stats();
    ASSERT_LE(stats.finder_bytes, kBudget);
    most_finders = std::max(most_finders, stats.finders);
  }
  EXPECT_GT(most_finders, 3U);
  const PopulationStats stats = population.stats();
  EXPECT_GT(stats.snapshots, 10U);
  EXPECT_GT(stats.first_passes, 100U);
  EXPECT_GT(stats.checks, 100U);
}

}  // namespace
}  // namespace manyarms
