#ifndef MANYARMS_PYTHON_LEARNING_H_
#define MANYARMS_PYTHON_LEARNING_H_

#include <optional>
#include <string>

#include "manyarms/rewards.h"

namespace manyarms::python {

/// Throws Error(kInvalidArgument) for an unknown name.
RewardModel ParseRewardModel(const std::string& name);

/// The forgetting of these two arguments, of which at most one may be given.
/// Throws Error(kInvalidArgument).
double ParseForgetting(double forgetting, std::optional<double> half_life);

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_LEARNING_H_
