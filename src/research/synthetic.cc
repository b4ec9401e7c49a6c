#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/parallel_for.h"
#include "manyarms/error.h"
#include "manyarms/random.h"
#include "manyarms/research/environment.h"
#include "research/best_rewards.h"
#include "research/synthetic_arms.h"
#include "research/true_parameter.h"
#include "research/visited_world.h"

namespace manyarms {
namespace {

using Role = RandomStream::Role;

// The environment whose best arm is the same for all steps, so that it is found
// when arms change.
class Synthetic final : public Environment {
 public:
  explicit Synthetic(const SyntheticOptions& options)
      : options_(options), arms_(options), theta_(options.dim) {
    RandomStream(options.theta_seed, Role::kTheta, 0).Gaussians(theta_);
    if (options.unit_ball) ScaleTo<double>(1, theta_);
    FindBest(options.arms, [](std::size_t i) { return ArmId{i}; });
  }

  std::size_t dim() const override { return options_.dim; }
  std::size_t arms_at_start() const override { return options_.arms; }

  void Features(ArmId arm, std::span<float> out) const override {
    arms_.Features(arm, out);
  }

  void FillFeatures(std::span<const ArmId> arms,
                    std::span<float> out) const override {
    arms_.FillFeatures(arms, out);
  }

  Change Advance(std::uint64_t step) override {
    Change change = arms_.Advance(step);
    std::vector<float> features(options_.dim);
    for (const ArmId arm : change.added) {
      const double mean = Mean(arm, features);
      if (mean > best_.mean) best_ = {arm, mean};
    }
    if (std::ranges::find(change.removed, best_.arm) != change.removed.end()) {
      const std::span<const ArmId> live = arms_.live();
      FindBest(live.size(), [live](std::size_t i) { return live[i]; });
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
    return InnerProduct(theta_, features);
  }

  // Among equal arms the first is the best, however many threads there are.
  template <class ArmAt>
  void FindBest(std::size_t arms, const ArmAt& arm_at) {
    constexpr std::size_t kGrain = SyntheticArms::kDrawnTogether;
    std::vector<Best> bests((arms + kGrain - 1) / kGrain);
    ParallelFor(arms, kGrain, [&](std::size_t begin, std::size_t end) {
      std::vector<float> features(options_.dim);
      Best best;
      for (std::size_t i = begin; i < end; ++i) {
        const double mean = Mean(arm_at(i), features);
        if (mean > best.mean) best = {arm_at(i), mean};
      }
      bests[begin / kGrain] = best;
    });
    best_ = {};
    for (const Best& best : bests) {
      if (best.mean > best_.mean) best_ = best;
    }
  }

  const SyntheticOptions options_;
  SyntheticArms arms_;
  std::vector<double> theta_;
  Best best_;
};

// An option that would be ignored is refused.
void CheckNeeded(const char* name, bool is_default, double value,
                 const char* needs) {
  if (is_default) return;
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("{} is {}, but {} is 0", name, value, needs));
}

void CheckLearners(const SyntheticOptions& options) {
  const SyntheticOptions defaults;
  CheckCount("learners", options.learners, 0, kMaxLearners);
  CheckWithin("own_share", options.own_share, 0, 1);
  CheckWithin("zipf", options.zipf, 0, 10);
  if (options.learners > 0) return;
  CheckNeeded("own_share", options.own_share == defaults.own_share,
              options.own_share, "learners");
  CheckNeeded("zipf", options.zipf == defaults.zipf, options.zipf, "learners");
}

void CheckContexts(const SyntheticOptions& options) {
  CheckCount("context_dim", options.context_dim, 0, kMaxDim);
  CheckCount("distinct_contexts", options.distinct_contexts, 0, kMaxSteps);
  if (options.context_dim > 0) return;
  CheckNeeded("distinct_contexts", options.distinct_contexts == 0,
              static_cast<double>(options.distinct_contexts), "context_dim");
  CheckNeeded("context_constants", options.context_constants, 0, "context_dim");
}

void CheckClicks(const SyntheticOptions& options) {
  const SyntheticOptions defaults;
  if (options.click_rate == 0) {
    CheckNeeded("click_spread", options.click_spread == defaults.click_spread,
                options.click_spread, "click_rate");
    return;
  }
  CheckWithin("click_rate", options.click_rate, kMinClickRate,
              1 - kMinClickRate);
  CheckWithin("click_spread", options.click_spread, 0, kMaxClickSpread);
  const auto refuse = [&](const std::string& what) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("click_rate is {}, but {}", options.click_rate, what));
  };
  if (options.noise != defaults.noise) {
    refuse(fmt::format("noise is {}, and clicks have no other noise",
                       options.noise));
  }
  if (options.unit_ball) {
    refuse("unit_ball is true, and a constant feature takes all of the length");
  }
  if (options.context_dim > 0 && !options.context_constants) {
    refuse("context_constants is false, so that there is no intercept");
  }
  if (ArmsHaveConstant(options) && options.dim < 2) {
    refuse("dim is 1, must be at least 2 with a constant feature");
  }
}

void CheckChanges(const SyntheticOptions& options) {
  CheckCount("turn_every", options.turn_every, 0, kMaxSteps);
  CheckWithin("drift", options.drift, 0, kMaxDrift);
  const bool changes = options.turn_every > 0 || options.drift > 0;
  if (changes && options.learners > 0 && options.own_share == 1) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("turn_every is {} and drift is {}, but own_share "
                            "is 1, and only what learners have in common "
                            "changes",
                            options.turn_every, options.drift));
  }
}

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
  CheckLearners(options);
  CheckContexts(options);
  CheckClicks(options);
  CheckChanges(options);
}

std::unique_ptr<Environment> MakeSynthetic(const SyntheticOptions& options) {
  CheckSynthetic(options);
  if (NeedsVisitedWorld(options)) {
    return std::make_unique<VisitedWorld>(options);
  }
  return std::make_unique<Synthetic>(options);
}

}  // namespace manyarms
