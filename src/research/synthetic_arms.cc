#include "research/synthetic_arms.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "base/parallel_for.h"
#include "manyarms/random.h"

namespace manyarms {

using Role = RandomStream::Role;

bool ArmsHaveConstant(const SyntheticOptions& options) {
  return options.click_rate > 0 && options.context_dim == 0;
}

SyntheticArms::SyntheticArms(const SyntheticOptions& options)
    : options_(options), next_(options.arms) {
  if (options.remove > 0) {
    live_.resize(options.arms);
    std::iota(live_.begin(), live_.end(), ArmId{0});
  }
}

void SyntheticArms::Features(ArmId arm, std::span<float> out) const {
  RandomStream random(options_.seed, Role::kArm, arm);
  if (ArmsHaveConstant(options_)) {
    out.back() = 1;
    out = out.first(out.size() - 1);
  }
  random.Gaussians(out);
  if (!options_.unit_ball) return;
  // The arm is uniform in the ball, and rounding must not push it out.
  constexpr double kJustInside = 1 - 1e-6;
  const double exponent = 1 / static_cast<double>(options_.dim);
  ScaleTo(kJustInside * std::pow(random.Uniform(), exponent), out);
}

void SyntheticArms::FillFeatures(std::span<const ArmId> arms,
                                 std::span<float> out) const {
  const std::size_t dim = options_.dim;
  ParallelFor(arms.size(), kDrawnTogether,
              [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) {
                  Features(arms[i], out.subspan(i * dim, dim));
                }
              });
}

Change SyntheticArms::Advance(std::uint64_t step) {
  Change change;
  if (step % options_.every != 0) return change;
  RandomStream random(options_.seed, Role::kChurn, step);
  for (std::size_t i = 0; i < options_.remove && !live_.empty(); ++i) {
    std::swap(live_[random.Below(live_.size())], live_.back());
    change.removed.push_back(live_.back());
    live_.pop_back();
  }
  for (std::size_t i = 0; i < options_.add; ++i) {
    if (options_.remove > 0) live_.push_back(next_);
    change.added.push_back(next_++);
  }
  return change;
}

}  // namespace manyarms
