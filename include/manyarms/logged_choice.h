#ifndef MANYARMS_LOGGED_CHOICE_H_
#define MANYARMS_LOGGED_CHOICE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "manyarms/learner_key.h"
#include "manyarms/types.h"

namespace manyarms {

/// A choice that somebody made earlier, and the reward that came of it.
struct LoggedChoice {
  std::uint64_t line = 0;  ///< of the log, from 1
  LearnerKey learner = std::uint64_t{0};
  ArmId arm = 0;
  std::vector<float> features;  ///< the arm's at the moment of the choice
  std::vector<float> context;   ///< empty if there was none
  std::size_t eligible = 0;     ///< the number of arms to choose from
  /// Whether the arm was drawn uniformly among the eligible ones.
  bool uniform = false;
  /// The probability with which the arm was chosen, if it is known.
  std::optional<double> probability;
  double reward = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_LOGGED_CHOICE_H_
