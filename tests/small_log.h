#ifndef MANYARMS_TESTS_SMALL_LOG_H_
#define MANYARMS_TESTS_SMALL_LOG_H_

#include <cstdint>
#include <vector>

#include "manyarms/evaluation.h"
#include "manyarms/random.h"
#include "testing.h"

namespace manyarms::testing {

/// Logged choices from a few arms in three dimensions, whose mean rewards are
/// linear, with and without contexts.
class SmallLog {
 public:
  static constexpr std::size_t kArms = 8;
  static constexpr std::size_t kDim = 3;

  explicit SmallLog(std::uint64_t seed, std::size_t context_dim = 0)
      : rows_(GaussianRows(kArms, kDim, seed)),
        ids_(FirstIds(kArms)),
        theta_(kDim * (context_dim + 1)),
        seed_(seed),
        context_dim_(context_dim) {
    RandomStream(seed, RandomStream::Role::kTheta, 0).Gaussians(theta_);
  }

  FixedArms arms() const {
    return {.ids = ids_,
            .features = {rows_.data(), kArms, kDim, {.row = kDim}}};
  }

  std::vector<float> Features(ArmId arm) const {
    const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(arm * kDim);
    return {first, first + kDim};
  }

  double Mean(ArmId arm, const std::vector<float>& context = {}) const {
    double mean = 0;
    for (std::size_t j = 0; j < kDim; ++j) {
      double weight = theta_[j];
      for (std::size_t p = 0; p < context.size(); ++p) {
        weight += static_cast<double>(context[p]) * theta_[kDim * (p + 1) + j];
      }
      mean += weight * static_cast<double>(rows_[arm * kDim + j]);
    }
    return mean;
  }

  /// Every second choice is uniform. The others prefer the arms 0, 1, 2, ... in
  /// this order, by probabilities of 8/36, 7/36, ...
  std::vector<LoggedChoice> Choices(std::size_t count) const {
    std::vector<LoggedChoice> choices;
    for (std::size_t i = 0; i < count; ++i) {
      RandomStream random(seed_, RandomStream::Role::kVisit, i);
      LoggedChoice choice;
      choice.line = 2 * i + 1;
      choice.eligible = kArms;
      choice.uniform = i % 2 == 0;
      choice.arm = random.Below(kArms);
      if (choice.uniform) {
        choice.probability = 1.0 / kArms;
      } else {
        // The smaller of two draws, of which the second is from one more.
        choice.arm = std::min(choice.arm, random.Below(kArms + 1));
        choice.probability = static_cast<double>(kArms - choice.arm) / 36;
      }
      choice.features = Features(choice.arm);
      choice.context.resize(context_dim_);
      random.Gaussians(choice.context);
      choice.reward = Mean(choice.arm, choice.context) + random.Gaussian();
      choices.push_back(choice);
    }
    return choices;
  }

 private:
  std::vector<float> rows_;
  std::vector<ArmId> ids_;
  std::vector<double> theta_;
  std::uint64_t seed_;
  std::size_t context_dim_;
};

}  // namespace manyarms::testing

#endif  // MANYARMS_TESTS_SMALL_LOG_H_
