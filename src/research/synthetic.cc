#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "base/parallel_for.h"
#include "manyarms/error.h"
#include "manyarms/random.h"
#include "manyarms/research/environment.h"

namespace manyarms {
namespace {

using Role = RandomStream::Role;

// A thread draws this number of arms at a time.
constexpr std::size_t kDrawnTogether = 1024;

template <class Real>
void ScaleTo(double length, std::span<Real> vector) {
  double square = 0;
  for (const Real value : vector) square += double{value} * value;
  if (square == 0) return;
  const double factor = length / std::sqrt(square);
  for (Real& value : vector) value = static_cast<Real>(factor * value);
}

class Synthetic final : public Environment {
 public:
  explicit Synthetic(const SyntheticOptions& options)
      : options_(options), theta_(options.dim), next_(options.arms) {
    RandomStream(options.theta_seed, Role::kTheta, 0).Gaussians(theta_);
    if (options.unit_ball) ScaleTo<double>(1, theta_);
    if (options.remove > 0) {
      live_.resize(options.arms);
      std::iota(live_.begin(), live_.end(), ArmId{0});
    }
    FindBest(options.arms, [](std::size_t i) { return ArmId{i}; });
  }

  std::size_t dim() const override { return options_.dim; }
  std::size_t arms_at_start() const override { return options_.arms; }

  void Features(ArmId arm, std::span<float> out) const override {
    RandomStream random(options_.seed, Role::kArm, arm);
    random.Gaussians(out);
    if (!options_.unit_ball) return;
    // The arm is uniform in the ball, and rounding must not push it out.
    constexpr double kJustInside = 1 - 1e-6;
    const double exponent = 1 / static_cast<double>(options_.dim);
    ScaleTo(kJustInside * std::pow(random.Uniform(), exponent), out);
  }

  void FillFeatures(std::span<const ArmId> arms,
                    std::span<float> out) const override {
    ParallelFor(arms.size(), kDrawnTogether,
                [&](std::size_t begin, std::size_t end) {
                  for (std::size_t i = begin; i < end; ++i) {
                    Features(arms[i], out.subspan(i * dim(), dim()));
                  }
                });
  }

  Change Advance(std::uint64_t step) override {
    Change change;
    if (step % options_.every != 0) return change;
    RandomStream random(options_.seed, Role::kChurn, step);
    for (std::size_t i = 0; i < options_.remove && !live_.empty(); ++i) {
      std::swap(live_[random.Below(live_.size())], live_.back());
      change.removed.push_back(live_.back());
      live_.pop_back();
    }
    for (std::size_t i = 0; i < options_.add; ++i) {
      AddArm(next_);
      change.added.push_back(next_++);
    }
    if (std::ranges::find(change.removed, best_.arm) != change.removed.end()) {
      FindBest(live_.size(), [this](std::size_t i) { return live_[i]; });
    }
    return change;
  }

  double Reward(ArmId arm, std::uint64_t step) const override {
    RandomStream noise(options_.seed, Role::kNoise, step);
    return Mean(arm) + options_.noise * noise.Gaussian();
  }

  double Regret(ArmId arm) const override { return best_.mean - Mean(arm); }

 private:
  struct Best {
    ArmId arm = 0;
    double mean = -std::numeric_limits<double>::infinity();
  };

  double Mean(ArmId arm) const {
    std::vector<float> features(options_.dim);
    return Mean(arm, features);
  }

  double Mean(ArmId arm, std::span<float> features) const {
    Features(arm, features);
    return std::inner_product(theta_.begin(), theta_.end(), features.begin(),
                              0.0);
  }

  // Features are a function of the arm's id, so only the best arm is stored
  // and, if arms are ever removed, the ids of those present.
  void AddArm(ArmId arm) {
    if (options_.remove > 0) live_.push_back(arm);
    const double mean = Mean(arm);
    if (mean > best_.mean) best_ = {arm, mean};
  }

  // Among equal arms the first is the best, however many threads there are.
  template <class ArmAt>
  void FindBest(std::size_t arms, const ArmAt& arm_at) {
    std::vector<Best> bests((arms + kDrawnTogether - 1) / kDrawnTogether);
    ParallelFor(arms, kDrawnTogether, [&](std::size_t begin, std::size_t end) {
      std::vector<float> features(options_.dim);
      Best best;
      for (std::size_t i = begin; i < end; ++i) {
        const double mean = Mean(arm_at(i), features);
        if (mean > best.mean) best = {arm_at(i), mean};
      }
      bests[begin / kDrawnTogether] = best;
    });
    best_ = {};
    for (const Best& best : bests) {
      if (best.mean > best_.mean) best_ = best;
    }
  }

  const SyntheticOptions options_;
  std::vector<double> theta_;
  std::vector<ArmId> live_;  // stays empty if options_.remove is 0
  ArmId next_;
  Best best_;
};

}  // namespace

void CheckSynthetic(const SyntheticOptions& options) {
  CheckDim(options.dim);
  CheckCount("arms", options.arms, 1, kMaxArms);
  CheckCount("add", options.add, 0, kMaxArms);
  CheckCount("remove", options.remove, 0, kMaxArms);
  CheckCount("every", options.every, 1, kMaxSteps);
  CheckWithin("noise", options.noise, 0, 1e6);
  if (options.remove > options.arms) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("remove is {}, must be at most arms, {}",
                            options.remove, options.arms));
  }
}

std::unique_ptr<Environment> MakeSynthetic(const SyntheticOptions& options) {
  CheckSynthetic(options);
  return std::make_unique<Synthetic>(options);
}

}  // namespace manyarms
