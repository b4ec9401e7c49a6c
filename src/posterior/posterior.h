#ifndef MANYARMS_POSTERIOR_POSTERIOR_H_
#define MANYARMS_POSTERIOR_POSTERIOR_H_

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "manyarms/rewards.h"
#include "posterior/belief.h"
#include "posterior/prior_factor.h"
#include "posterior/prior_upkeep.h"

namespace manyarms {

/// How rewards become a posterior.
struct Learning {
  RewardModel rewards = RewardModel::kLinear;
  /// What earlier rewards count is multiplied by this with each reward.
  double forgetting = 1;
};

/// Ridge regression over everything that was learned: V = lambda I + sum x x'
/// and b = sum r x, from which a bandit needs the mean V^-1 b, widths
/// |x|_{V^-1} and samples. (With another prior, of precision P and mean m,
/// V = P + sum x x' and b = P m + sum r x.)
///
/// One quantity determines all others: the Cholesky factor of
///     [ V   b ]     [ L   0 ] [ L'  z ]
///     [ b'  c ]  =  [ z'  s ] [ 0   s ],      c = 1 + sum r^2,
/// updated by rotations when (x, r) arrives. That is least squares by QR: the
/// error of the mean grows with the condition of L, not with its square as it
/// does when V and b are stored. Mean and sample are one triangular solve each.
///
/// Whoever needs the inverse factor A = L^-1 at every choice calls KeepInverse.
/// Up to kMostToInvert features, A is then computed from L when it is asked for
/// after an update. With more, each update applies its rotations to A, too, and
/// A is never computed from L again. docs/design.md says why it is accurate.
///
/// Clicks are learned as the linear observations that have their effect
/// (LinearisedClick). With forgetting g < 1, V becomes g V + x x' + (1 - g)
/// lambda I and b becomes g b + r x; the prior's part is put back in turns
/// (PriorUpkeep), so that it is between 7/8 of lambda I and lambda I.
///
/// Costs: construction and Update, Mean, Width, Sample O(d^2); InverseFactor
/// O(d^2) if the inverse is at hand, and O(d^3) if not.
///
/// Thread safety: const methods may be called from any number of threads while
/// nobody calls any other method.
class Posterior final : public Belief {
 public:
  /// Up to here an inversion takes less than a microsecond, and nobody has to
  /// store A.
  static constexpr std::size_t kMostToInvert = 32;

  /// `regularisation` is lambda in the paper.
  /// Throws Error(kInvalidArgument) unless it is within
  /// [kMinRegularisation, kMaxRegularisation] and 1 <= dim <= kMaxDim.
  Posterior(std::size_t dim, double regularisation,
            const Learning& learning = {});

  /// Begins with a prior.
  explicit Posterior(const PriorFactor& prior, const Learning& learning = {});

  /// Learns one observation. Throws Error(kInvalidArgument), and changes
  /// nothing, for a wrong dimension or for values that are not finite or are
  /// out of bounds (kMaxFeature, kMaxReward; clicks must be within [0, 1]).
  void Update(std::span<const float> features, double reward);

  /// The same for features that were made of checked ones. REQUIRES: there are
  /// dim() of them, at most 10^9 in magnitude, and the reward is in bounds.
  void Update(std::span<const double> features, double reward);

  /// Forgets this share, within [0, 1], of all rewards; after 1 the prior is
  /// left. Counts as an update. Costs O(d^3).
  void Forget(double share);

  /// theta-hat in the paper: V^-1 b.
  Eigen::VectorXd Mean() const override;

  /// mean + scale V^{-1/2} xi, where V^{-1/2} = L^-T. REQUIRES: xi has dim().
  Eigen::VectorXd Sample(double scale, std::span<const double> xi) const;

  /// |x|_{V^-1}.
  double Width(std::span<const float> features) const;
  /// REQUIRES: there are dim() features.
  double Width(std::span<const double> features) const;

  /// Each column y of `columns` becomes L^-1 y.
  void SolveLower(Eigen::MatrixXd& columns) const;

  /// A = L^-1, lower triangular, so that x' V^-1 x = |A x|^2.
  RowMatrix InverseFactor() const override;

  /// From now on Inverse may be called. Costs nothing up to kMostToInvert
  /// features; with more O(d^2) before the first update and O(d^3) after it.
  void KeepInverse();
  bool keeps_inverse() const { return keeps_inverse_; }

  /// Whether each update brings A up to date. If not, A depends on L alone.
  bool rotates_inverse() const {
    return keeps_inverse_ && dim_ > kMostToInvert;
  }

  /// A, without a copy. It changes with the next update, and costs O(d^3) after
  /// one unless rotates_inverse(). REQUIRES: keeps_inverse().
  const RowMatrix& Inverse();

  std::size_t dim() const { return dim_; }

  /// V is at least this number times I: lambda in the paper. With another prior
  /// it is the smallest eigenvalue of the precision.
  double regularisation() const { return regularisation_; }

  const Learning& learning() const { return learning_; }

  /// The number of observations so far, and of calls of Forget.
  std::uint64_t version() const override { return updates_; }

  /// 1 without forgetting, because V only grows. With forgetting g it is
  /// g^(-k/2) after k updates. It is no use for versions before the last call
  /// of Forget.
  double WidthGrowthSince(std::uint64_t version) const override;

  /// 1/sqrt(lambda), because V is at least lambda I. (With forgetting it is at
  /// least 7/8 of that.)
  double WidestWidth() const override;

  /// What was learned, as numbers one after another: the factor and, if it
  /// rotates_inverse(), the inverse. For learners that rest and share one
  /// posterior when they are needed.
  std::size_t packed_size() const;

  /// REQUIRES: `packed` has packed_size() numbers.
  void Pack(std::span<double> packed) const;

  /// Becomes the posterior that was packed after `updates` updates, and that
  /// was once the same as `fresh`. REQUIRES: it had the same dimension and way
  /// of learning, and kept its inverse if and only if this one does.
  void Unpack(std::span<const double> packed, std::uint64_t updates,
              const Posterior& fresh);

  /// V, b, and c of the comment above, as they are now. Costs O(d^3).
  struct Moments {
    Eigen::MatrixXd v;
    Eigen::VectorXd b;
    double c = 0;
  };
  Moments moments() const;

  void Save(ByteWriter& writer) const;

  /// REQUIRES: the posterior has the same dimension and began with the same
  /// prior.
  void Restore(ByteReader& reader);

  /// A, if it rotates_inverse(): after many updates it differs from a fresh
  /// inverse in the last digits, and decisions after loading must be the same
  /// as without.
  void SaveInverse(ByteWriter& writer) const;

  /// Reads A if the file has it. Files of bandits' formats 4 to 6 have it with
  /// few features, too; then it is checked and dropped.
  /// REQUIRES: Restore was called before.
  void RestoreInverse(ByteReader& reader);

 private:
  RowMatrix InvertedFactor() const;
  void FactorChanged();
  void Prepare();
  bool forgets() const { return learning_.forgetting < 1; }
  double PrecisionFloor() const;
  void LineariseClick();
  void LearnObservation();
  void RotateInObservation();
  void Fade(double part);
  void PutBackPrior(std::size_t column, double part);

  std::size_t dim_;
  Learning learning_;
  double regularisation_;
  double start_ = 0;  // a bound of the diagonal of V and of c before any update
  std::uint64_t updates_ = 0;
  Eigen::MatrixXd factor_;  // [L 0; z' s], lower triangular

  bool keeps_inverse_ = false;
  RowMatrix inverse_;  // A, or what it was before the last updates
  bool inverse_is_current_ = false;  // always if rotates_inverse()

  std::optional<PriorUpkeep> upkeep_;  // none if nothing is forgotten
  // The factor before any update; none if it is a multiple of I.
  std::shared_ptr<const Eigen::MatrixXd> prior_;
  std::uint64_t forgotten_at_ = 0;  // the version after the last Forget

  // Scratch.
  Eigen::VectorXd observation_;  // [x; r]
  std::vector<double> cosines_;  // of an update's rotations
  std::vector<double> sines_;
  std::vector<double> extra_row_;  // of A; empty unless it is rotated
};

}  // namespace manyarms

#endif  // MANYARMS_POSTERIOR_POSTERIOR_H_
