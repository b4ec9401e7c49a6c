#include "manyarms/rewards.h"

#include <cmath>
#include <limits>

#include "base/check.h"

namespace manyarms {

std::string_view RewardModelName(RewardModel model) {
  return model == RewardModel::kClicks ? "clicks" : "linear";
}

std::optional<RewardModel> RewardModelNamed(std::string_view name) {
  for (const RewardModel model : {RewardModel::kLinear, RewardModel::kClicks}) {
    if (RewardModelName(model) == name) return model;
  }
  return std::nullopt;
}

double ForgettingOfHalfLife(double rewards) {
  CheckWithin("half-life", rewards, kMinHalfLife,
              std::numeric_limits<double>::max());
  return std::exp2(-1 / rewards);
}

}  // namespace manyarms
