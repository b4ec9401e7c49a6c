#include "research/visited_world.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "manyarms/random.h"
#include "posterior/logistic.h"

namespace manyarms {
namespace {

using Role = RandomStream::Role;

// Visits do not depend on what is chosen, so the best arms of several steps are
// found together, which takes little more time than those of one.
constexpr std::uint64_t kMostStepsTogether = 64;

// Features that are drawn and handed over together.
constexpr std::size_t kBatchValues = std::size_t{1} << 22;

// The first step after this one before which arms may change.
std::uint64_t NextChange(const SyntheticOptions& options, std::uint64_t step) {
  if (options.add == 0 && options.remove == 0) return ~std::uint64_t{0};
  return (step / options.every + 1) * options.every;
}

}  // namespace

bool NeedsVisitedWorld(const SyntheticOptions& options) {
  return options.learners > 0 || options.context_dim > 0 ||
         options.click_rate > 0 || options.turn_every > 0 || options.drift > 0;
}

VisitedWorld::VisitedWorld(const SyntheticOptions& options)
    : options_(options),
      arms_(options),
      visits_(options),
      best_rewards_(options.dim) {
  const std::size_t together =
      std::max<std::size_t>(kBatchValues / options.dim, 1);
  std::vector<ArmId> batch;
  for (std::size_t first = 0; first < options.arms; first += together) {
    batch.resize(std::min(together, options.arms - first));
    std::iota(batch.begin(), batch.end(), ArmId{first});
    AddArms(batch);
  }
  FindBests(step_);
}

void VisitedWorld::Features(ArmId arm, std::span<float> out) const {
  arms_.Features(arm, out);
}

void VisitedWorld::FillFeatures(std::span<const ArmId> arms,
                                std::span<float> out) const {
  arms_.FillFeatures(arms, out);
}

void VisitedWorld::AddArms(std::span<const ArmId> arms) {
  std::vector<float> features(arms.size() * options_.dim);
  arms_.FillFeatures(arms, features);
  best_rewards_.Add(arms, features);
}

Change VisitedWorld::Advance(std::uint64_t step) {
  Change change = arms_.Advance(step);
  best_rewards_.Remove(change.removed);
  AddArms(change.added);
  const bool changed = !change.removed.empty() || !change.added.empty();
  if (changed || step >= first_ + bests_.size()) FindBests(step);
  step_ = step;
  return change;
}

void VisitedWorld::FindBests(std::uint64_t step) {
  const std::uint64_t until =
      std::min(step + kMostStepsTogether, NextChange(options_, step));
  // Steps in a row often have the same rewards.
  std::vector<std::vector<double>> directions;
  rewards_.clear();
  for (std::uint64_t t = step; t < until; ++t) {
    rewards_.push_back(visits_.RewardsAt(t));
    const std::vector<double>& direction = rewards_.back().direction;
    if (directions.empty() || direction != directions.back()) {
      directions.push_back(direction);
    }
  }
  const std::vector<double> highest = best_rewards_.Of(directions);
  bests_.clear();
  std::size_t at = 0;
  for (const RewardFunction& rewards : rewards_) {
    if (rewards.direction != directions[at]) ++at;
    bests_.push_back(highest[at]);
  }
  first_ = step;
}

Visit VisitedWorld::VisitAt(std::uint64_t step) const {
  return visits_.At(step);
}

double VisitedWorld::InnerProductWith(std::span<const double> direction,
                                      ArmId arm) const {
  std::vector<float> features(options_.dim);
  Features(arm, features);
  return InnerProduct(direction, features);
}

double VisitedWorld::Expected(const RewardFunction& rewards,
                              double inner_product) const {
  const double sum = inner_product + rewards.constant;
  return options_.click_rate > 0 ? Sigmoid(sum) : sum;
}

double VisitedWorld::Reward(ArmId arm, std::uint64_t step) const {
  const RewardFunction rewards = visits_.RewardsAt(step);
  const double expected =
      Expected(rewards, InnerProductWith(rewards.direction, arm));
  RandomStream noise(options_.seed, Role::kNoise, step);
  if (options_.click_rate > 0) return noise.Uniform() < expected ? 1 : 0;
  return expected + options_.noise * noise.Gaussian();
}

double VisitedWorld::Regret(ArmId arm) const {
  const std::size_t i = step_ - first_;
  const double own = InnerProductWith(rewards_[i].direction, arm);
  // The constant is the same for all arms.
  if (options_.click_rate == 0) return bests_[i] - own;
  return Expected(rewards_[i], bests_[i]) - Expected(rewards_[i], own);
}

}  // namespace manyarms
