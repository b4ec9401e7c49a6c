#include "learning.h"

#include <fmt/format.h>

#include "manyarms/error.h"

namespace manyarms::python {

RewardModel ParseRewardModel(const std::string& name) {
  const std::optional<RewardModel> model = RewardModelNamed(name);
  if (model) return *model;
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("there are no rewards '{}', only 'linear' and "
                          "'clicks'",
                          name));
}

double ParseForgetting(double forgetting, std::optional<double> half_life) {
  if (!half_life) return forgetting;
  if (forgetting != 1) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("forgetting {} and half_life {} given, must be one "
                            "of them",
                            forgetting, *half_life));
  }
  return ForgettingOfHalfLife(*half_life);
}

}  // namespace manyarms::python
