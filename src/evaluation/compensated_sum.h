#ifndef MANYARMS_EVALUATION_COMPENSATED_SUM_H_
#define MANYARMS_EVALUATION_COMPENSATED_SUM_H_

#include <cmath>

namespace manyarms {

/// A sum that also adds up what rounding leaves out (Neumaier's variant of
/// Kahan's): its error does not grow with the number of values, even if they
/// cancel each other.
class CompensatedSum {
 public:
  void Add(double value) {
    const double sum = sum_ + value;
    lost_ += std::abs(sum_) >= std::abs(value) ? (sum_ - sum) + value
                                               : (value - sum) + sum_;
    sum_ = sum;
  }

  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_EVALUATION_COMPENSATED_SUM_H_
