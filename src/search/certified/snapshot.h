#ifndef MANYARMS_SEARCH_SNAPSHOT_H_
#define MANYARMS_SEARCH_SNAPSHOT_H_

#include <Eigen/Core>
#include <vector>

#include "kernels/kernels.h"
#include "posterior/posterior.h"
#include "search/search.h"

namespace manyarms {

/// The posterior at one moment, as something that bounds all scores to come:
/// with centre = <theta_0, x> and width = |A_0 x|, where A_0'A_0 = V_0^-1, no
/// arm's score is above
///     centre + Radius(query) width;
/// by quadratic form, no score's square root.
/// docs/design.md has the proof, rounding included.
class Snapshot {
 public:
  Snapshot(Objective objective, const Posterior& posterior);

  /// How many widths a score may lie above its arm's centre.
  double Radius(const Query& query) const;

  /// Makes Radius smaller for this query and all later ones, by how much the
  /// posterior has tightened since in every direction. Costs O(d^3).
  void Tighten(const Query& query);

  /// How centres and widths are computed. Refers to the snapshot.
  kernels::BoundTerms terms() const;

  std::size_t dim() const { return packed_.dim(); }

 private:
  double DirectionRadius(const Eigen::VectorXd& direction) const;

  Objective objective_;
  std::vector<float> centre_;     // theta_0, where the objective has one
  Eigen::MatrixXd factor_;        // A_0, rounded to float
  kernels::PackedFactor packed_;  // the same
  double centre_length_ = 0;
  double factor_norm_ = 0;
  double growth_ = 1;  // no direction's width is more than this part of A_0's
};

/// Whether a factor that a query brings is known well enough for what the
/// bounds assume of it: that its own rounding is a small part of any width.
/// Estimated from the diagonal.
bool IsWellConditioned(const Eigen::MatrixXd& factor);

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_SNAPSHOT_H_
