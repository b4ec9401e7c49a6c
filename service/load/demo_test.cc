#include "service/load/demo.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <vector>

#include "manyarms/population.h"

namespace manyarms::load {
namespace {

struct Moments {
  double count = 0;
  double sum = 0;

  double Mean() const { return sum / count; }
  // Of a share, by the normal approximation.
  double HalfWidth() const {
    return 1.96 * std::sqrt(Mean() * (1 - Mean()) / count);
  }
};

// A minute of the demo's traffic without a service: rewards come three
// seconds after choices, of which there are 100 in a second.
TEST(Demo, PolicyBeatsItsUniformSliceWithinAMinute) {
  const World world(Demo::Shop());
  Population population({.dim = world.options().dim,
                         .rewards = RewardModel::kClicks,
                         .explore_uniform = 0.1,
                         .seed = 1});
  std::vector<float> features(world.options().dim);
  for (std::uint64_t arm = 0; arm < Demo::kArms; ++arm) {
    world.Features(arm, features);
    population.Add(arm, features);
  }
  struct Waiting {
    std::uint64_t visitor;
    DecisionId decision;
    double reward;
  };
  std::deque<Waiting> waiting;
  Moments policy;
  Moments uniform;
  RandomStream random(1, RandomStream::Role::kVisit, 0);
  for (int step = 0; step < 6000; ++step) {
    const std::uint64_t visitor = world.DrawLearner(random);
    const Decision decision = population.Choose(visitor);
    const double reward = world.Reward(visitor, decision.arm, random);
    Moments& moments = decision.uniform ? uniform : policy;
    ++moments.count;
    moments.sum += reward;
    waiting.push_back({visitor, decision.id, reward});
    if (waiting.size() <= 300) continue;
    const Waiting& first = waiting.front();
    population.Learn(first.visitor, first.decision, first.reward);
    waiting.pop_front();
  }
  EXPECT_GT(policy.Mean() - policy.HalfWidth(),
            uniform.Mean() + uniform.HalfWidth());
}

}  // namespace
}  // namespace manyarms::load
