#ifndef MANYARMS_SEARCH_CERTIFIED_SNAPSHOT_H_
#define MANYARMS_SEARCH_CERTIFIED_SNAPSHOT_H_

#include <Eigen/Core>
#include <vector>

#include "kernels/kernels.h"
#include "posterior/belief.h"
#include "search/search.h"

namespace manyarms {

/// A belief at one moment, by which all later scores are bounded. With
/// centre = <theta_0, x> and width = |A_0 x|, where A_0'A_0 = V_0^-1, no arm's
/// score is above
///     centre + Radius(query) width + Curvature(query) width^2;
/// for quadratic forms, no score's square root is. docs/design.md has the
/// proof, rounding included.
class Snapshot {
 public:
  Snapshot(Objective objective, const Belief& belief)
      : Snapshot(objective, belief, belief.InverseFactor()) {}

  /// `factor` is the belief's inverse factor, for callers who have it.
  Snapshot(Objective objective, const Belief& belief, const RowMatrix& factor);

  /// The number of widths that a score may lie above its arm's centre.
  /// REQUIRES: the query has the same belief, at this version or a later one.
  double Radius(const Query& query) const;

  /// The number of squared widths by which a score may lie above that: 0 but
  /// for quadratic optimism. REQUIRES: as above.
  double Curvature(const Query& query) const;

  /// Makes Radius smaller for this query and all later ones, as far as widths
  /// have fallen since in all directions. Costs O(d^3), and does nothing with
  /// more than 256 features.
  void Tighten(const Query& query);

  /// How centres and widths are computed. Refers to the snapshot.
  kernels::BoundTerms terms() const;

  /// An upper bound of |A_0 x| / |x|. Costs O(d^3) for up to 64 features.
  double norm() const;

  std::size_t dim() const { return packed_.dim(); }
  std::size_t memory_bytes() const;

 private:
  double DirectionRadius(const Eigen::VectorXd& direction) const;
  double WidthsSince(const Belief& belief) const;

  Objective objective_;
  std::vector<float> centre_;     // theta_0; none for quadratic forms
  RowMatrix factor_;              // A_0, rounded to float; empty if not needed
  kernels::PackedFactor packed_;  // the same
  double centre_length_ = 0;
  double factor_norm_;
  // At version_ no arm's width was more than width_part_ times its width under
  // A_0.
  std::uint64_t version_;
  double width_part_ = 1;
};

/// Whether the rounding error of a query's factor is a small part of any width,
/// as the bounds assume. This is an estimate from its diagonal.
bool IsWellConditioned(const RowMatrix& factor);

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CERTIFIED_SNAPSHOT_H_
