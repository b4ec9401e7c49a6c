#ifndef MANYARMS_KERNELS_BOUNDS_H_
#define MANYARMS_KERNELS_BOUNDS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "kernels/blocks.h"
#include "kernels/packed_factor.h"

/// Upper bounds of scores: an arm's score is at most centre + r width, where r,
/// the radius, depends on the query alone (docs/design.md, "Certified search").
namespace manyarms::kernels {

/// How the bounds of an arm x are computed:
///     length = |x| + tiny
///     centre = <direction, x> + centre_slack length + tiny
///     width  = width_scale (|factor x| + tiny) + width_slack length
/// The slacks and the scale pay for rounding; `tiny` pays for squares that
/// underflow.
struct BoundTerms {
  std::span<const float> direction;  // empty: <direction, x> counts as 0
  const PackedFactor* factor = nullptr;
  float centre_slack = 0;
  float width_slack = 0;
  float width_scale = 1;
  float tiny = 0;
};

/// Centres, widths and lengths of all kLanes arms of one block.
struct BlockBounds {
  float centre[kLanes];
  float width[kLanes];
  float length[kLanes];
};
void BoundsOf(const float* block, const BoundTerms& terms, BlockBounds& out);

/// Lengths and widths of all kLanes arms of one block, for callers that need no
/// centres. To each length `tiny` is added once more, as to a centre: a length
/// is, to the last bit, the centre without a direction at a centre_slack of 1.
/// Neither of these two terms is read.
struct BlockLengths {
  float length[kLanes];
  float width[kLanes];
};
void LengthsAndWidths(const float* block, const BoundTerms& terms,
                      BlockLengths& out);

/// The maximum of centre + r width over some arms, at kRadii fixed radii r; and
/// the largest width, which says how fast it can rise beyond the last radius.
inline constexpr std::size_t kRadii = 8;
using Radii = std::array<float, kRadii>;
struct Ceiling {
  Radii height;
  float widest;
};
/// The ceiling over no arms: the lowest finite heights, because ceilings are
/// interpolated and infinities would give NaN.
inline constexpr float kNoHeight = std::numeric_limits<float>::lowest();
inline constexpr Ceiling kNoCeiling = {
    {kNoHeight, kNoHeight, kNoHeight, kNoHeight, kNoHeight, kNoHeight,
     kNoHeight, kNoHeight},
    0};

/// A survey divides arms by whether centre + radius width reaches `cutoff`.
struct SurveyTerms {
  BoundTerms bounds;
  float radius = 0;
  float cutoff = 0;
  Radii radii{};  // of the ceiling over the arms that do not reach it
};
/// For each block: the bounds of all its arms, and which of the given lanes
/// reach the cutoff. The lanes that do not reach it raise `rest`. REQUIRES:
/// `bounds` and `reaching` are as long as `blocks`.
void Survey(const BlockTable& table, std::span<const MaskedBlock> blocks,
            const SurveyTerms& terms, std::span<BlockBounds> bounds,
            std::span<std::uint32_t> reaching, Ceiling& rest);

}  // namespace manyarms::kernels

#endif  // MANYARMS_KERNELS_BOUNDS_H_
