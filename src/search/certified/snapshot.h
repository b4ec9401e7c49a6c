#ifndef MANYARMS_SEARCH_CERTIFIED_SNAPSHOT_H_
#define MANYARMS_SEARCH_CERTIFIED_SNAPSHOT_H_

#include <Eigen/Core>
#include <vector>

#include "kernels/kernels.h"
#include "posterior/belief.h"
#include "search/search.h"

namespace manyarms {

/// A belief at one moment, as something that bounds all scores to come: with
/// centre = <theta_0, x> and width = |A_0 x|, where A_0'A_0 = V_0^-1, no arm's
/// score is above
///     centre + Radius(query) width;
/// by quadratic form, no score's square root is.
/// docs/design.md has the proof, rounding included.
class Snapshot {
 public:
  Snapshot(Objective objective, const Belief& belief);

  /// The number of widths that a score may lie above its arm's centre.
  /// REQUIRES: the query comes with the same belief, now or later.
  double Radius(const Query& query) const;

  /// Makes Radius smaller for this query and all later ones, by how much the
  /// belief has become surer since in every direction. Costs O(d^3).
  void Tighten(const Query& query);

  /// How centres and widths are computed. Refers to the snapshot.
  kernels::BoundTerms terms() const;

  std::size_t dim() const { return packed_.dim(); }
  std::size_t memory_bytes() const;

 private:
  double DirectionRadius(const Eigen::VectorXd& direction) const;
  double WidthsSince(const Belief& belief) const;

  Objective objective_;
  std::vector<float> centre_;     // theta_0, where the objective has one
  Eigen::MatrixXd factor_;        // A_0, rounded to float
  kernels::PackedFactor packed_;  // the same
  double centre_length_ = 0;
  double factor_norm_ = 0;
  // At this version no arm's width was more than this part of its width under
  // A_0.
  std::uint64_t version_;
  double width_part_ = 1;
};

/// Whether a factor that a query brings is known well enough for what the
/// bounds assume of it: that its own rounding is a small part of any width.
/// Estimated from the diagonal.
bool IsWellConditioned(const Eigen::MatrixXd& factor);

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CERTIFIED_SNAPSHOT_H_
