// Measures how many arms Thompson sampling has to score to be certain of the
// best, depending on the age of the snapshot that gives the bounds. Certified
// search is built on this.

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "kernels/kernels.h"
#include "manyarms/bandit.h"
#include "manyarms/random.h"
#include "posterior/posterior.h"
#include "search/certified/snapshot.h"

namespace manyarms {
namespace {

using Role = RandomStream::Role;

constexpr std::size_t kArms = 100'000;
constexpr double kExploration = 2;
constexpr std::uint64_t kDraws = 16;

// Arms, and a posterior that learns from the best arm of each draw.
class World {
 public:
  explicit World(std::size_t dim)
      : store_(dim), posterior_(dim, 1.0), theta_(dim), features_(dim) {
    RandomStream(1, Role::kTheta, 0).Gaussians(theta_);
    for (ArmId id = 0; id < kArms; ++id) {
      RandomStream(1, Role::kArm, id).Gaussians(features_);
      store_.Add(id, features_);
    }
    for (std::uint32_t block = 0; block < kArms / kLanes; ++block) {
      blocks_.push_back({block, (1U << kLanes) - 1});
    }
  }

  Eigen::VectorXd Draw(std::uint64_t index) const {
    std::vector<double> xi(store_.dim());
    RandomStream(1, Role::kSample, index).Gaussians(xi);
    return posterior_.Sample(kExploration, xi);
  }

  Hit Best(const Eigen::VectorXd& direction) const {
    const std::vector<float> rounded(direction.begin(), direction.end());
    return kernels::BestInnerProduct(store_.blocks(), blocks_, rounded);
  }

  void Learn(const Hit& hit, std::uint64_t step) {
    store_.CopyFeatures(hit.slot, features_);
    double reward = RandomStream(1, Role::kNoise, step).Gaussian();
    for (std::size_t j = 0; j < features_.size(); ++j) {
      reward += theta_[j] * features_[j];
    }
    posterior_.Update(features_, reward);
  }

  Snapshot Now() const { return {Objective::kInnerProduct, posterior_}; }

  // The number of arms whose bound at this radius reaches the score.
  std::size_t Reaching(const Snapshot& snapshot, double radius,
                       float score) const {
    std::size_t arms = 0;
    kernels::BlockBounds bounds;
    for (const MaskedBlock& masked : blocks_) {
      kernels::BoundsOf(store_.blocks().Features(masked.block),
                        snapshot.terms(), bounds);
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        arms += bounds.centre[lane] + radius * bounds.width[lane] >= score;
      }
    }
    return arms;
  }

 private:
  ArmStore store_;
  Posterior posterior_;
  std::vector<double> theta_;
  std::vector<float> features_;
  std::vector<MaskedBlock> blocks_;
};

// Prints means over kDraws draws after `step` rewards.
void Report(const World& world, std::uint64_t step,
            const std::vector<Snapshot>& snapshots, double fixed_radius) {
  std::vector<double> reaching(snapshots.size() + 1);
  for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
    const Eigen::VectorXd direction = world.Draw(1'000'000 + draw);
    const float best = world.Best(direction).score;
    for (std::size_t i = 0; i < snapshots.size(); ++i) {
      const double radius = snapshots[i].Radius({.direction = &direction});
      reaching[i] +=
          static_cast<double>(world.Reaching(snapshots[i], radius, best));
    }
    reaching.back() += static_cast<double>(
        world.Reaching(snapshots.back(), fixed_radius, best));
  }
  fmt::print("{:>8}", step);
  for (const double sum : reaching) fmt::print(" {:>12.0f}", sum / kDraws);
  fmt::print("\n");
}

void Run(std::size_t dim) {
  // With a fresh snapshot the radius of a draw is rarely larger than this. An
  // order for a single radius would have to use it.
  const double fixed_radius =
      kExploration * (std::sqrt(static_cast<double>(dim)) + 2.5);
  fmt::print(
      "{} arms, {} features: arms that reach the best score, mean of {} draws; "
      "by snapshots of\n{:>8} {:>12} {:>12} {:>12} {:>12} {:>12}\n",
      kArms, dim, kDraws, "rewards", "the start", "a quarter", "half", "now",
      "now, R fixed");
  World world(dim);
  std::vector<Snapshot> taken;  // after 2^i rewards
  const Snapshot start = world.Now();
  std::uint64_t next = 1;
  for (std::uint64_t step = 1; step <= 4096; ++step) {
    world.Learn(world.Best(world.Draw(step)), step);
    if (step != next) continue;
    next *= 2;
    taken.push_back(world.Now());
    if (step < 16) continue;
    const std::size_t last = taken.size() - 1;
    Report(world, step, {start, taken[last - 2], taken[last - 1], taken[last]},
           fixed_radius);
  }
}

}  // namespace
}  // namespace manyarms

int main() {
  try {
    for (const std::size_t dim : {16U, 64U}) manyarms::Run(dim);
  } catch (const std::exception& error) {
    std::fputs(error.what(), stderr);
    return 1;
  }
  return 0;
}
