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

// The first column that is due at this turn of a round or later: column j is
// due at the turn j round / columns, rounded down. For rounds longer than
// columns_ that is at most one column a turn.
std::size_t PriorUpkeep::FirstFrom(std::uint64_t turn) const {
  // In floating point, because the product may be beyond 64 bits; a round
  // beyond 2^53 columns^-1 does not end within the life of a posterior.
  const double exact = static_cast<double>(turn) *
                       static_cast<double>(columns_) /
                       static_cast<double>(round_);
  return static_cast<std::size_t>(
      std::min(std::ceil(exact), static_cast<double>(columns_)));
}

PriorUpkeep::Due PriorUpkeep::After(std::uint64_t update) const {
  const std::uint64_t turn = update % round_;
  // In the first round, columns have faded since the start only.
  const std::uint64_t faded = std::min(update + 1, round_);
  return {.first = FirstFrom(turn),
          .last = turn + 1 == round_ ? columns_ : FirstFrom(turn + 1),
          .part = 1 - std::pow(forgetting_, static_cast<double>(faded))};
}

// The last turn whose columns begin at this one or before, by bisection.
std::uint64_t PriorUpkeep::TurnOf(std::size_t column) const {
  std::uint64_t low = 0;
  std::uint64_t high = round_;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (FirstFrom(middle) <= column ? low : high) = middle;
  }
  return low;
}

double PriorUpkeep::Left(std::uint64_t updates, std::size_t column) const {
  const std::uint64_t turn = TurnOf(column);
  const std::uint64_t faded =
      updates > turn ? (updates - 1 - turn) % round_ : updates;
  return std::pow(forgetting_, static_cast<double>(faded));
}

}  // namespace manyarms
