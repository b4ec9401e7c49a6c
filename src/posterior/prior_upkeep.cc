#include "posterior/prior_upkeep.h"

#include <algorithm>
#include <cmath>

namespace manyarms {
namespace {

// The largest number of updates after which a column has not faded too far.
std::uint64_t RoundOf(double forgetting) {
  constexpr double kMostUpdates = 1e15;
  const double updates =
      std::log(PriorUpkeep::kLeastPart) / std::log(forgetting);
  return static_cast<std::uint64_t>(std::clamp(updates, 1.0, kMostUpdates));
}

}  // namespace

PriorUpkeep::PriorUpkeep(double forgetting, std::size_t columns)
    : forgetting_(forgetting), columns_(columns), round_(RoundOf(forgetting)) {}

PriorUpkeep::Due PriorUpkeep::After(std::uint64_t update) const {
  const std::uint64_t turn = update % round_;
  // Column j is due at the turn j round / columns, rounded down: for rounds
  // longer than columns_ at most one column a turn.
  const auto first_from = [this](std::uint64_t t) {
    // In floating point, because the product may be beyond 64 bits; a round
    // beyond 2^53 columns^-1 does not end within the life of a posterior.
    const double exact = static_cast<double>(t) *
                         static_cast<double>(columns_) /
                         static_cast<double>(round_);
    return static_cast<std::size_t>(
        std::min(std::ceil(exact), static_cast<double>(columns_)));
  };
  // In the first round, columns have faded since the start only.
  const std::uint64_t faded = std::min(update + 1, round_);
  return {.first = first_from(turn),
          .last = turn + 1 == round_ ? columns_ : first_from(turn + 1),
          .part = 1 - std::pow(forgetting_, static_cast<double>(faded))};
}

}  // namespace manyarms
