#ifndef MANYARMS_POSTERIOR_PRIOR_UPKEEP_H_
#define MANYARMS_POSTERIOR_PRIOR_UPKEEP_H_

#include <cstddef>
#include <cstdint>

namespace manyarms {

/// When a posterior forgets, its prior would fade with everything else. So the
/// columns of the prior's factor are put back in turns. To put one back costs
/// as much as to learn a reward, and all of them after each reward would cost
/// O(d^3). In a round every column is put back once, and a round is so long
/// that no column fades to less than kLeastPart in between. Exactly what has
/// faded is put back.
class PriorUpkeep {
 public:
  static constexpr double kLeastPart = 0.875;

  /// REQUIRES: kMinForgetting <= forgetting < 1, columns >= 1.
  PriorUpkeep(double forgetting, std::size_t columns);

  /// The columns that follow an update, from `first` to before `last`, and the
  /// part of each that has faded and must be put back.
  struct Due {
    std::size_t first = 0;
    std::size_t last = 0;
    double part = 0;
  };
  /// `update` counts from 0, when all columns are whole.
  Due After(std::uint64_t update) const;

  /// The part of a column that is left after this number of updates.
  double Left(std::uint64_t updates, std::size_t column) const;

 private:
  std::size_t FirstFrom(std::uint64_t turn) const;
  std::uint64_t TurnOf(std::size_t column) const;

  double forgetting_;
  std::uint64_t columns_;
  std::uint64_t round_;  // its number of updates
};

}  // namespace manyarms

#endif  // MANYARMS_POSTERIOR_PRIOR_UPKEEP_H_
