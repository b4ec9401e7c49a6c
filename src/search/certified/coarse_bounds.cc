#include "search/certified/coarse_bounds.h"

#include <algorithm>
#include <cmath>

namespace manyarms {

CoarseBounds::CoarseBounds(const Snapshot& snapshot)
    : snapshot_(snapshot),
      terms_(snapshot.terms()),
      norm_(snapshot.norm()),
      block_(MakeLargeBuffer<float>(snapshot.dim() * kLanes)) {
  direction_.Take(terms_.direction);
}

// What has to be added to step scale <h, q> for an upper bound of the centre:
// the errors of arm and direction, the rounding of a sum of d products, and
// what the definition of a centre adds.
double CoarseBounds::Slack(const CompactCopy::Group& group) const {
  const double length = group.length();
  const double error = group.error();
  const auto d = static_cast<double>(snapshot_.dim());
  return direction_.Neglected(length, error) +
         2 * d * 0x1p-24 * direction_.length() * length +
         1.01 * terms_.centre_slack * (length + 2 * double{terms_.tiny}) +
         2 * double{terms_.tiny} + d * 0x1p-120;
}

void CoarseBounds::Of(const CompactCopy::Group& group,
                      const std::uint8_t* compact,
                      kernels::BlockBounds& bounds) {
  kernels::RestoreBlock(compact, snapshot_.dim(), group.scale(), block_.get());
  kernels::BoundsOf(block_.get(), terms_, bounds);
  // What q neglects, and the rounding of scale q to float.
  const double length = group.length();
  const double error = group.error() + 0x1p-22 * length;
  const auto centre =
      static_cast<float>(1.02 * (direction_.length() * error +
                                 terms_.centre_slack * (length + error)) +
                         2 * double{terms_.tiny});
  const auto width = static_cast<float>(
      1.02 * (norm_ * error + terms_.width_slack * (length + error)) +
      2 * double{terms_.tiny});
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    bounds.centre[lane] += centre + 0x1p-20F * std::abs(bounds.centre[lane]);
    bounds.width[lane] = (1 + 0x1p-18F) * bounds.width[lane] + width;
  }
}

double CoarseBounds::CentreAt(const CompactCopy::Group& group,
                              std::int32_t product) const {
  const double step = direction_.step() * group.scale();
  // No inner product is larger than that of the lengths.
  const double centre =
      std::min(step * product, direction_.length() * double{group.length()}) +
      Slack(group);
  return centre + std::abs(centre) * 0x1p-40;
}

double CoarseBounds::Width(const CompactCopy::Group& group) const {
  const double length = double{group.length()} + 2 * double{terms_.tiny};
  // Rounding of |A x| is a part of the norm and, row by row, of the Frobenius
  // norm; 1.01 is more than both and the products below need.
  const double root = norm_ * length * (1 + 0x1p-12) +
                      1.01 * terms_.width_slack * length +
                      2 * double{terms_.tiny};
  return terms_.width_scale * root * (1 + 0x1p-20) +
         1.01 * terms_.width_slack * length;
}

std::int32_t CoarseBounds::Threshold(const CompactCopy::Group& group,
                                     double radius, float cutoff) const {
  const double step = direction_.step() * group.scale();
  const double room = double{cutoff} - radius * Width(group) - Slack(group);
  return kernels::CompactThreshold(room / step);
}

}  // namespace manyarms
