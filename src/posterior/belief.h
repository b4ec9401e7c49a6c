#ifndef MANYARMS_POSTERIOR_BELIEF_H_
#define MANYARMS_POSTERIOR_BELIEF_H_

#include <Eigen/Core>
#include <cstdint>

namespace manyarms {

/// Row by row in memory, as factors are rotated and packed.
using RowMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// What one learner knows about the rewards of arms: the reward of an arm x is
/// expected to be <Mean(), x>, plus or minus a multiple of its width |A x|,
/// where A is the inverse factor.
///
/// A posterior is a belief. Any other learner over the same arms (for one
/// context, say) has to implement these five methods only.
class Belief {
 public:
  virtual ~Belief() = default;

  virtual Eigen::VectorXd Mean() const = 0;

  /// A, lower triangular, where A'A is the inverse of V.
  virtual RowMatrix InverseFactor() const = 0;

  /// Increases whenever the mean or the factor changes.
  virtual std::uint64_t version() const = 0;

  /// The largest factor by which any arm's width may have grown since this
  /// version: at least 1, and never less since an earlier version. It is 1 for
  /// beliefs that never forget, because V only grows.
  virtual double WidthGrowthSince(std::uint64_t version) const = 0;

  /// A number that |A x| / |x| does not exceed for any x, rounding included: an
  /// upper bound of the spectral norm of A, from what is known of V without a
  /// look at A.
  virtual double WidestWidth() const = 0;

 protected:
  Belief() = default;
  Belief(const Belief&) = default;
  Belief(Belief&&) = default;
  Belief& operator=(const Belief&) = default;
  Belief& operator=(Belief&&) = default;
};

}  // namespace manyarms

#endif  // MANYARMS_POSTERIOR_BELIEF_H_
