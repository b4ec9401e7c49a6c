#include "evaluation/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace manyarms {

std::vector<std::string> NotesOnRestricted(std::size_t restricted) {
  if (restricted == 0) return {};
  return {fmt::format(
      "{} choices from some of the arms only were left out: the estimates are "
      "of choices among all arms",
      restricted)};
}

std::vector<std::string> NotesOn(const Evaluation& result,
                                 std::span<const double> rewards) {
  constexpr double kFewChoices = 100;
  std::vector<std::string> notes = NotesOnRestricted(result.restricted);
  const WeightSummary& weights = result.weights;
  if (weights.effective_sample_size < kFewChoices) {
    notes.push_back(
        fmt::format("all choices together are worth {:.0f} of the policy's "
                    "own: intervals may be too short",
                    weights.effective_sample_size));
  }
  const auto n = static_cast<double>(result.evaluated);
  const double error =
      weights.mean *
      std::sqrt(std::max(n / weights.effective_sample_size - 1, 0.0) / n);
  constexpr double kRounding = 1e-6;
  if (weights.clipped == 0 &&
      std::abs(weights.mean - 1) > 4 * error + kRounding) {
    notes.push_back(fmt::format(
        "weights are {:.3g} on average, and should be 1 within {:.2g}: the "
        "log's probabilities are wrong, or what the policy does often was "
        "hardly ever logged",
        weights.mean, error));
  }
  if (weights.clipped > 0) {
    notes.push_back(fmt::format("{} weights were clipped: estimates are biased",
                                weights.clipped));
  }
  if (result.certain > 0) {
    notes.push_back(fmt::format("{} choices were logged with probability 1",
                                result.certain));
  }
  const double first = rewards.front();
  if (std::ranges::all_of(rewards, [&](double r) { return r == first; })) {
    notes.push_back(fmt::format(
        "all rewards are {}: they tell no policy from another", first));
  }
  return notes;
}

}  // namespace manyarms
