#include "manyarms/rewards.h"

#include <fmt/format.h>

#include <cmath>

#include "manyarms/error.h"

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
  if (!(rewards >= kMinHalfLife) || std::isinf(rewards)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("half-life is {}, must be finite and at least {}",
                            rewards, kMinHalfLife));
  }
  return std::exp2(-1 / rewards);
}

}  // namespace manyarms
