#include <cmath>
#include <sstream>

#include "manyarms/bandit.h"
#include "manyarms/population.h"
#include "manyarms/random.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

constexpr std::size_t kDim = 6;
constexpr std::size_t kArms = 3'000;

BanditOptions Forgetting(const PolicyOptions& policy,
                         const SearchOptions& search, double forgetting) {
  return {.dim = kDim,
          .policy = policy,
          .search = search,
          .forgetting = forgetting,
          .seed = 11};
}

void AddArms(Bandit& bandit) {
  bandit.Add(testing::FirstIds(kArms), testing::GaussianRows(kArms, kDim, 7));
}

// The reward of an arm in a world whose parameter turns around now and then.
double Reward(std::span<const float> x, std::uint64_t seed, std::uint64_t t) {
  double reward =
      0.1 * RandomStream(seed, RandomStream::Role::kNoise, t).Uniform();
  const std::size_t axis = t / 150 % kDim;
  return reward + x[axis] - 0.5 * x[(axis + 1) % kDim];
}

struct Played {
  std::vector<ArmId> chosen;
  double reward = 0;
  SearchStats stats;
};

Played Play(Bandit& bandit, std::uint64_t seed, std::uint64_t steps) {
  Played run;
  for (std::uint64_t t = 0; t < steps; ++t) {
    const Decision decision = bandit.Choose();
    const double reward = Reward(bandit.Features({&decision.arm, 1}), seed, t);
    bandit.Learn(decision, reward);
    run.reward += reward;
    run.chosen.push_back(decision.arm);
    // Arms come and go.
    if (t % 10 == 9) {
      bandit.Remove(ArmId{t / 10});
      bandit.Add(kArms + t, testing::GaussianRows(1, kDim, 1'000 + t));
    }
  }
  run.stats = bandit.stats();
  return run;
}

// Certified search answers as a scan does, decision by decision, although
// widths grow again: for 50 seeds, slow and fast forgetting.
TEST(Forgetting, ServedExactlyByCertifiedSearch) {
  std::uint64_t snapshots = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const double forgetting =
        seed % 3 == 0 ? 0.8 : (seed % 3 == 1 ? 0.97 : 0.998);
    const PolicyOptions policy = seed % 2 == 0
                                     ? PolicyOptions(ThompsonOptions{})
                                     : PolicyOptions(UcbOptions{});
    Bandit certified(
        Forgetting(policy, CertifiedOptions{.background = false}, forgetting));
    Bandit scan(Forgetting(policy, ScanOptions{}, forgetting));
    AddArms(certified);
    AddArms(scan);
    const Played found = Play(certified, seed, 600);
    ASSERT_EQ(found.chosen, Play(scan, seed, 600).chosen) << seed;
    snapshots += found.stats.snapshots;
  }
  EXPECT_GT(snapshots, 50U);  // otherwise orders were not tested
}

TEST(Forgetting, FollowsAWorldThatTurns) {
  Bandit forgets(Forgetting(ThompsonOptions{.exploration = 0.2},
                            CertifiedOptions{}, 0.95));
  Bandit remembers(
      Forgetting(ThompsonOptions{.exploration = 0.2}, CertifiedOptions{}, 1));
  AddArms(forgets);
  AddArms(remembers);
  EXPECT_GT(Play(forgets, 1, 3'000).reward,
            1.5 * Play(remembers, 1, 3'000).reward);
}

TEST(Forgetting, AShareAtOnceKeepsAnswersExact) {
  for (const PolicyOptions& policy :
       {PolicyOptions(ThompsonOptions{}), PolicyOptions(UcbOptions{})}) {
    Bandit certified(
        Forgetting(policy, CertifiedOptions{.background = false}, 1));
    Bandit scan(Forgetting(policy, ScanOptions{}, 1));
    AddArms(certified);
    AddArms(scan);
    for (const double share : {0.5, 0.999, 1.0}) {
      EXPECT_EQ(Play(certified, 1, 300).chosen, Play(scan, 1, 300).chosen);
      certified.Forget(share);
      scan.Forget(share);
      for (int t = 0; t < 3; ++t) {
        EXPECT_EQ(certified.Choose().arm, scan.Choose().arm);
      }
      certified =
          Bandit(Forgetting(policy, CertifiedOptions{.background = false}, 1));
      scan = Bandit(Forgetting(policy, ScanOptions{}, 1));
      AddArms(certified);
      AddArms(scan);
    }
  }
}

// Both ways of forgetting together, and choices go on without a new start.
TEST(Forgetting, SharesNowAndThenKeepAnswersExact) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const PolicyOptions policy = seed % 2 == 0
                                     ? PolicyOptions(ThompsonOptions{})
                                     : PolicyOptions(UcbOptions{});
    const double forgetting = seed < 4 ? 0.999 : 0.98;
    Bandit certified(
        Forgetting(policy, CertifiedOptions{.background = false}, forgetting));
    Bandit scan(Forgetting(policy, ScanOptions{}, forgetting));
    AddArms(certified);
    AddArms(scan);
    for (std::uint64_t t = 0; t < 1'500; ++t) {
      const Decision found = certified.Choose();
      const Decision expected = scan.Choose();
      ASSERT_EQ(found.arm, expected.arm) << seed << ' ' << t;
      const double reward = Reward(scan.Features({&found.arm, 1}), seed, t);
      certified.Learn(found, reward);
      scan.Learn(expected, reward);
      if (t % 133 != 7) continue;
      const double share = t % 2 == 0 ? 1e-3 : 0.6;
      certified.Forget(share);
      scan.Forget(share);
      std::stringstream file;
      certified.Save(file);
      ASSERT_NO_THROW(Bandit::Load(file));
    }
  }
}

TEST(Forgetting, OfLearnersIsThatOfLoneBandits) {
  for (const PolicyOptions& policy :
       {PolicyOptions(ThompsonOptions{}), PolicyOptions(UcbOptions{})}) {
    Population population({.dim = kDim,
                           .policy = policy,
                           .search = CertifiedOptions{.background = false},
                           .forgetting = 0.9});
    population.Add(testing::FirstIds(kArms),
                   testing::GaussianRows(kArms, kDim, 7));
    std::vector<Bandit> lone;
    for (std::uint64_t key = 0; key < 4; ++key) {
      lone.emplace_back(population.LoneOptions(key));
      AddArms(lone.back());
      // Before the first reward there is nothing to forget.
      lone.back().Dismiss(lone.back().Choose().id);
      lone.back().Forget(0.5);
      population.Dismiss(key, population.Choose(key).id);
      population.Forget(key, 0.5);
    }
    for (std::uint64_t t = 0; t < 600; ++t) {
      const std::uint64_t key = t % 3 == 0 ? t % 4 : 1;
      const Decision expected = lone[key].Choose();
      const Decision found = population.Choose(key);
      ASSERT_EQ(found.arm, expected.arm) << t;
      const double reward = Reward(lone[key].Features({&found.arm, 1}), key, t);
      lone[key].Learn(expected, reward);
      population.Learn(key, found.id, reward);
      if (t % 50 == 49) {
        lone[key].Forget(0.7);
        population.Forget(key, 0.7);
      }
    }
    // Of 600 choices every third goes round the learners.
    EXPECT_EQ(population.Describe(0).rewards, 50U);
  }
}

TEST(Forgetting, SavedAndLoaded) {
  Bandit bandit(
      Forgetting(UcbOptions{}, CertifiedOptions{.background = false}, 0.95));
  AddArms(bandit);
  Play(bandit, 1, 200);
  std::stringstream file;
  bandit.Save(file);
  Bandit loaded = Bandit::Load(file);
  EXPECT_EQ(loaded.options(), bandit.options());
  for (std::uint64_t t = 0; t < 100; ++t) {
    const Decision expected = bandit.Choose();
    const Decision found = loaded.Choose();
    ASSERT_EQ(found.arm, expected.arm);
    bandit.Learn(expected, 1);
    loaded.Learn(found, 1);
  }
}

TEST(Forgetting, RefusesWhatDoesNotFit) {
  ExpectError(ErrorCode::kUnsupported, {"elim", "forgetting", "for good"}, [] {
    const Bandit bandit(Forgetting(EliminationOptions{}, ScanOptions{}, 0.9));
  });
  ExpectError(ErrorCode::kUnsupported, {"theory", "forgetting"}, [] {
    const Bandit bandit(
        Forgetting(UcbOptions{.exploration = TheoryRadius{.horizon = 10}},
                   ScanOptions{}, 0.9));
  });
  ExpectError(ErrorCode::kUnsupported, {"forgetting", "shared prior"}, [] {
    const Population population(
        {.dim = 2, .prior = SharedPrior{}, .forgetting = 0.9});
  });
  for (const double wrong : {0.0, 1.5, -1.0, std::nan("")}) {
    ExpectError(ErrorCode::kInvalidArgument, {"forgetting"}, [&] {
      const Bandit bandit(Forgetting(ThompsonOptions{}, ScanOptions{}, wrong));
    });
  }
  Bandit elim({.dim = kDim, .policy = EliminationOptions{}});
  ExpectError(ErrorCode::kUnsupported, {"elim", "forget"},
              [&] { elim.Forget(0.5); });
  Bandit bandit(Forgetting(ThompsonOptions{}, ScanOptions{}, 1));
  ExpectError(ErrorCode::kInvalidArgument, {"share", "1.5"},
              [&] { bandit.Forget(1.5); });
  Population population({.dim = kDim});
  ExpectError(ErrorCode::kUnknownId, {"7"}, [&] { population.Forget(7, 0.5); });
  Population shared({.dim = 2, .prior = SharedPrior{}});
  shared.Observe(7, std::vector<float>{1, 0}, 1.0);
  ExpectError(ErrorCode::kUnsupported, {"shared prior"},
              [&] { shared.Forget(7, 0.5); });
  Bandit theory(
      Forgetting(UcbOptions{.exploration = TheoryRadius{.horizon = 10}},
                 ScanOptions{}, 1));
  ExpectError(ErrorCode::kUnsupported, {"theory", "forgetting"},
              [&] { theory.Forget(0.5); });
}

}  // namespace
}  // namespace manyarms
