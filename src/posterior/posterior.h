#ifndef MANYARMS_POSTERIOR_POSTERIOR_H_
#define MANYARMS_POSTERIOR_POSTERIOR_H_

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "posterior/belief.h"

namespace manyarms {

/// Ridge regression over everything that was learned: V = lambda I + sum x x'
/// and b = sum r x, from which a bandit needs the mean V^-1 b, widths
/// |x|_{V^-1} and samples.
///
/// One quantity is stored, from which all others are derived: the Cholesky
/// factor of
///     [ V   b ]     [ L   0 ] [ L'  z ]
///     [ b'  c ]  =  [ z'  s ] [ 0   s ],      c = 1 + sum r^2,
/// updated by rotations when (x, r) arrives. That is least squares by QR: the
/// error of the mean grows with the condition of L, not with its square as it
/// does when V and b are stored. Mean and sample are one triangular solve each.
///
/// Costs: construction and Update, Mean, Width, Sample O(d^2); InverseFactor
/// O(d^3).
///
/// Thread safety: const methods may be called from any number of threads while
/// nobody calls Update.
class Posterior final : public Belief {
 public:
  /// `regularisation` is lambda in the paper.
  /// Throws Error(kInvalidArgument) unless it is within
  /// [kMinRegularisation, kMaxRegularisation] and 1 <= dim <= kMaxDim.
  Posterior(std::size_t dim, double regularisation);

  /// Learns one observation. Throws Error(kInvalidArgument), and changes
  /// nothing, for a wrong dimension or for values that are not finite or are
  /// out of bounds (kMaxFeature, kMaxReward).
  void Update(std::span<const float> features, double reward);

  /// theta-hat in the paper: V^-1 b.
  Eigen::VectorXd Mean() const override;

  /// mean + scale V^{-1/2} xi, where V^{-1/2} = L^-T. REQUIRES: xi has dim().
  Eigen::VectorXd Sample(double scale, std::span<const double> xi) const;

  /// |x|_{V^-1}.
  double Width(std::span<const float> features) const;

  /// A = scale L^-1, lower triangular, so that scale^2 x' V^-1 x = |A x|^2.
  Eigen::MatrixXd InverseFactor(double scale) const;
  Eigen::MatrixXd InverseFactor() const override { return InverseFactor(1); }

  std::size_t dim() const { return dim_; }
  double regularisation() const { return regularisation_; }

  /// The number of observations so far.
  std::uint64_t version() const override { return updates_; }

  double WidthGrowthSince(std::uint64_t /*version*/) const override {
    return 1;
  }

  void Save(ByteWriter& writer) const;

  /// REQUIRES: the posterior has the same dimension and regularisation.
  void Restore(ByteReader& reader);

 private:
  std::size_t dim_;
  double regularisation_;
  std::uint64_t updates_ = 0;
  Eigen::MatrixXd factor_;       // [L 0; z' s], lower triangular
  Eigen::VectorXd observation_;  // scratch: [x; r]
};

}  // namespace manyarms

#endif  // MANYARMS_POSTERIOR_POSTERIOR_H_
