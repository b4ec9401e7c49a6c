#ifndef MANYARMS_POSTERIOR_BELIEF_H_
#define MANYARMS_POSTERIOR_BELIEF_H_

#include <Eigen/Core>
#include <cstdint>

namespace manyarms {

/// What one who chooses among arms knows of their rewards, in the arms' space:
/// the reward of an arm x is expected to be <Mean(), x>, give or take a
/// multiple of its width |A x|, where A is the inverse factor.
///
/// A posterior is one. Whatever else is to choose among the same arms (for one
/// context, say) only has to answer these four questions.
class Belief {
 public:
  virtual ~Belief() = default;

  virtual Eigen::VectorXd Mean() const = 0;

  /// A, lower triangular, where A'A is the inverse of V.
  virtual Eigen::MatrixXd InverseFactor() const = 0;

  /// Grows whenever the mean or the factor changes.
  virtual std::uint64_t version() const = 0;

  /// The factor by which any arm's width may have grown since this version, at
  /// most. At least 1, and never less since an earlier version. It is 1 for
  /// beliefs that only ever learn, because V only grows.
  virtual double WidthGrowthSince(std::uint64_t version) const = 0;

 protected:
  Belief() = default;
  Belief(const Belief&) = default;
  Belief(Belief&&) = default;
  Belief& operator=(const Belief&) = default;
  Belief& operator=(Belief&&) = default;
};

}  // namespace manyarms

#endif  // MANYARMS_POSTERIOR_BELIEF_H_
