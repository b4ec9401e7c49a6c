// The synthetic environment with learners and contexts.

#include <algorithm>
#include <cmath>
#include <set>

#include "manyarms/research/environment.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;
using Role = RandomStream::Role;

SyntheticOptions Small() {
  return {.arms = 40,
          .dim = 3,
          .add = 2,
          .remove = 1,
          .every = 3,
          .noise = 0,
          .seed = 6,
          .theta_seed = 2,
          .learners = 7,
          .own_share = 0.3,
          .context_dim = 2};
}

// The expected reward of an arm, by the definition in environment.h.
double Expected(const SyntheticOptions& options, ArmId arm,
                const Visit& visit) {
  const bool contexts = options.context_dim > 0;
  std::vector<float> x(options.dim);
  RandomStream(options.seed, Role::kArm, arm).Gaussians(x);
  std::vector<float> c = contexts ? visit.context : std::vector<float>{1};
  if (contexts && options.context_constants) {
    x.push_back(1);
    c.push_back(1);
  }
  std::vector<double> common(c.size() * x.size());
  RandomStream(options.theta_seed, Role::kTheta, 0).Gaussians(common);
  std::vector<double> own(common.size());
  RandomStream(options.theta_seed, Role::kLearner, visit.learner)
      .Gaussians(own);
  const double share = options.learners > 0 ? options.own_share : 0;
  double sum = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      const std::size_t at = i * x.size() + j;
      const double m =
          std::sqrt(1 - share) * common[at] + std::sqrt(share) * own[at];
      sum += double{c[i]} * m * x[j];
    }
  }
  return sum / std::sqrt(static_cast<double>(c.size()));
}

std::vector<SyntheticOptions> AllShapes() {
  SyntheticOptions both = Small();
  SyntheticOptions learners = Small();
  learners.context_dim = 0;
  SyntheticOptions contexts = Small();
  contexts.learners = 0;
  contexts.own_share = SyntheticOptions{}.own_share;
  SyntheticOptions recurring = Small();
  recurring.distinct_contexts = 3;
  recurring.context_constants = false;
  SyntheticOptions steady = Small();
  steady.add = 0;
  steady.remove = 0;
  return {both, learners, contexts, recurring, steady};
}

TEST(VisitedWorld, HasRewardsAndRegretsByTheirDefinition) {
  for (const SyntheticOptions& options : AllShapes()) {
    const auto world = MakeSynthetic(options);
    std::set<ArmId> live;
    for (ArmId arm = 0; arm < options.arms; ++arm) live.insert(arm);
    for (std::uint64_t step = 1; step <= 150; ++step) {
      const Change change = world->Advance(step);
      for (const ArmId arm : change.removed) ASSERT_EQ(live.erase(arm), 1U);
      live.insert(change.added.begin(), change.added.end());
      const Visit visit = world->VisitAt(step);
      double best = -1e300;
      for (const ArmId arm : live) {
        best = std::max(best, Expected(options, arm, visit));
      }
      double least = 1e300;
      for (const ArmId arm : live) {
        const double expected = Expected(options, arm, visit);
        ASSERT_NEAR(world->Reward(arm, step), expected, 1e-9);
        ASSERT_NEAR(world->Regret(arm), best - expected, 1e-9);
        least = std::min(least, world->Regret(arm));
      }
      ASSERT_EQ(least, 0.0) << "step " << step;
    }
  }
}

TEST(VisitedWorld, DoesNotDependOnTheOrderInWhichItIsAsked) {
  const auto forwards = MakeSynthetic(Small());
  const auto backwards = MakeSynthetic(Small());
  std::vector<Visit> visits(100);
  std::vector<double> rewards(100);
  for (std::uint64_t step = 100; step-- > 1;) {
    rewards[step] = backwards->Reward(5, step);
    visits[step] = backwards->VisitAt(step);
  }
  for (std::uint64_t step = 1; step < 100; ++step) {
    forwards->Advance(step);
    const Visit visit = forwards->VisitAt(step);
    EXPECT_EQ(visit.learner, visits[step].learner);
    EXPECT_EQ(visit.context, visits[step].context);
    EXPECT_EQ(forwards->Reward(5, step), rewards[step]);
  }
}

TEST(VisitedWorld, HasTheArmsAndChangesOfTheWorldWithoutVisits) {
  SyntheticOptions plain = Small();
  plain.learners = 0;
  plain.own_share = SyntheticOptions{}.own_share;
  plain.context_dim = 0;
  const auto one = MakeSynthetic(plain);
  const auto other = MakeSynthetic(Small());
  std::vector<float> x(3);
  std::vector<float> y(3);
  for (std::uint64_t step = 1; step <= 30; ++step) {
    const Change change = one->Advance(step);
    const Change same = other->Advance(step);
    EXPECT_EQ(change.added, same.added);
    EXPECT_EQ(change.removed, same.removed);
    one->Features(step, x);
    other->Features(step, y);
    EXPECT_EQ(x, y);
  }
}

TEST(VisitedWorld, HasLearnersWhoAreAllAlikeIfNoneHasAnythingOfItsOwn) {
  for (const bool unit_ball : {false, true}) {
    SyntheticOptions options = Small();
    options.context_dim = 0;
    options.own_share = 0;
    options.noise = 1;
    options.unit_ball = unit_ball;
    const auto alike = MakeSynthetic(options);
    options.learners = 0;
    options.own_share = SyntheticOptions{}.own_share;
    const auto plain = MakeSynthetic(options);
    for (std::uint64_t step = 1; step <= 50; ++step) {
      alike->Advance(step);
      plain->Advance(step);
      EXPECT_EQ(alike->Regret(30), plain->Regret(30));
      EXPECT_EQ(alike->Reward(30, step), plain->Reward(30, step));
    }
  }
}

TEST(VisitedWorld, HasContextsThatRecurAndContextsThatDoNot) {
  SyntheticOptions options = Small();
  const auto distinct = [&options] {
    const auto world = MakeSynthetic(options);
    std::set<std::vector<float>> contexts;
    for (std::uint64_t step = 1; step <= 200; ++step) {
      contexts.insert(world->VisitAt(step).context);
    }
    return contexts.size();
  };
  EXPECT_EQ(distinct(), 200U);
  options.distinct_contexts = 4;
  EXPECT_EQ(distinct(), 4U);
}

TEST(VisitedWorld, LetsLearnersComeByZipfsLaw) {
  SyntheticOptions options = Small();
  const auto visits_of_first = [&options] {
    const auto world = MakeSynthetic(options);
    int visits = 0;
    for (std::uint64_t step = 1; step <= 10000; ++step) {
      if (world->VisitAt(step).learner == 0) ++visits;
    }
    return visits;
  };
  // 1/(1 + 1/2 + ... + 1/7) of them and a seventh, within five standard
  // deviations.
  EXPECT_NEAR(visits_of_first(), 3857, 244);
  options.zipf = 0;
  EXPECT_NEAR(visits_of_first(), 1429, 175);
}

TEST(VisitedWorld, RefusesOptionsOutOfBounds) {
  const auto refuses = [](const SyntheticOptions& options,
                          const std::vector<std::string>& parts) {
    ExpectError(ErrorCode::kInvalidArgument, parts,
                [&] { MakeSynthetic(options); });
  };
  refuses({.learners = kMaxLearners + 1}, {"learners is 1000000000001"});
  refuses({.learners = 2, .own_share = 1.5}, {"own_share is 1.5", "1"});
  refuses({.learners = 2, .zipf = -1}, {"zipf is -1"});
  refuses({.learners = 2, .zipf = std::nan("")}, {"zipf is nan"});
  refuses({.context_dim = 5000}, {"context_dim is 5000", "4096"});
  refuses({.zipf = 2}, {"zipf is 2", "learners is 0"});
  refuses({.own_share = 1}, {"own_share is 1", "learners is 0"});
  refuses({.distinct_contexts = 3},
          {"distinct_contexts is 3", "context_dim is 0"});
  refuses({.context_constants = false}, {"context_constants", "context_dim"});
}

}  // namespace
}  // namespace manyarms
