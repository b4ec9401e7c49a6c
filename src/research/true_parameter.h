#ifndef MANYARMS_RESEARCH_TRUE_PARAMETER_H_
#define MANYARMS_RESEARCH_TRUE_PARAMETER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "manyarms/research/environment.h"

namespace manyarms {

inline constexpr double kMinClickRate = 1e-6;
inline constexpr double kMaxClickSpread = 20;
/// A quarter of a turn with each step.
inline constexpr double kMaxDrift = 1.5707963267948966;

/// The log-odds around which arms must be spread, normally with this standard
/// deviation, to be clicked with this probability on average.
double ClickIntercept(double rate, double spread);

/// The true parameter of a synthetic environment: theta*, or with contexts the
/// matrix M, at each step and for each learner. Of learners and of later turns
/// nothing is stored: they are drawn again from their streams whenever they are
/// asked for.
class TrueParameter {
 public:
  TrueParameter(const SyntheticOptions& options, std::size_t rows,
                std::size_t columns);

  /// Row after row.
  std::vector<double> At(std::uint64_t step, std::uint64_t learner) const;

 private:
  // A and B of the drift, of what all learners have in common.
  struct Course {
    std::vector<double> from;
    std::vector<double> towards;  // empty without drift
  };

  Course AfterTurns(std::uint64_t turns, std::size_t size) const;
  std::vector<double> CommonAt(std::uint64_t step) const;
  void Mix(std::uint64_t learner, std::vector<double>& parameter) const;
  void Scale(std::vector<double>& parameter) const;

  const SyntheticOptions options_;
  const std::size_t rows_;
  const double intercept_;  // of clicks
  const Course first_;
};

}  // namespace manyarms

#endif  // MANYARMS_RESEARCH_TRUE_PARAMETER_H_
