#ifndef MANYARMS_KERNELS_KERNELS_H_
#define MANYARMS_KERNELS_KERNELS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "kernels/blocks.h"
#include "kernels/top_hits.h"
#include "manyarms/types.h"

/// The inner loops, in vector instructions that are chosen at run time.
///
/// Every score of an arm is computed lane by lane in one fixed order of fused
/// multiply-adds, so that it does not depend on the width of the registers,
/// nor on whether an arm is scored alone or in a scan: comparing scores from
/// two searches for equality makes sense. (Instruction sets without fused
/// multiply-add, SSE4 and older, round differently from those with.)
namespace manyarms::kernels {

/// A lower triangular matrix as the kernels want it: four rows at a time,
/// interleaved, so that one load of a coordinate serves four rows. Rows are
/// filled up with zeros, which change no sum.
class PackedFactor {
 public:
  PackedFactor() = default;
  PackedFactor(const double* lower, std::size_t dim) { Pack(lower, dim); }

  /// `lower` is column-major, dim x dim; the part above the diagonal is not
  /// read.
  void Pack(const double* lower, std::size_t dim);

  static constexpr std::size_t kRows = 4;

  const float* data() const { return values_.data(); }
  std::size_t dim() const { return dim_; }

 private:
  std::size_t dim_ = 0;
  std::vector<float> values_;
};

/// A score that any arm reaches.
inline constexpr float kNoBar = -std::numeric_limits<float>::infinity();

/// The best of the given lanes by <direction, x>. Ties go to the smaller id;
/// no slot if there is no lane, or none with a score of at least `bar`.
Hit BestInnerProduct(const BlockTable& table,
                     std::span<const MaskedBlock> blocks,
                     std::span<const float> direction, float bar = kNoBar);

/// The best by |factor x|^2.
Hit BestQuadraticForm(const BlockTable& table,
                      std::span<const MaskedBlock> blocks,
                      const PackedFactor& factor, float bar = kNoBar);

/// The best of each block by |factor x|^2. REQUIRES: `best` is as long as
/// `blocks`.
void BestQuadraticFormOfEach(const BlockTable& table,
                             std::span<const MaskedBlock> blocks,
                             const PackedFactor& factor, std::span<Hit> best);

/// The best by <direction, x> + |factor x|.
Hit BestOptimism(const BlockTable& table, std::span<const MaskedBlock> blocks,
                 std::span<const float> direction, const PackedFactor& factor,
                 float bar = kNoBar);

/// Offers the arms that reach its bar to `top`, by the same scores.
/// REQUIRES: no lane is given twice.
void TopInnerProduct(const BlockTable& table,
                     std::span<const MaskedBlock> blocks,
                     std::span<const float> direction, TopHits& top);
void TopQuadraticForm(const BlockTable& table,
                      std::span<const MaskedBlock> blocks,
                      const PackedFactor& factor, TopHits& top);
void TopOptimism(const BlockTable& table, std::span<const MaskedBlock> blocks,
                 std::span<const float> direction, const PackedFactor& factor,
                 TopHits& top);

/// <direction, x> and |factor x|^2 of all kLanes arms of one block.
struct Moments {
  float mean[kLanes];
  float form[kLanes];
};
void BlockMoments(const float* block, std::span<const float> direction,
                  const PackedFactor& factor, Moments& out);

/// What an arm's bounds are made of (docs/design.md, "Certified search"):
///     centre = <direction, x> + centre_slack |x| + tiny
///     width  = width_scale |factor x| + width_slack |x|
/// where `tiny` is added to both lengths too, because squares below it vanish.
struct BoundTerms {
  std::span<const float> direction;  // empty: all centres are 0
  const PackedFactor* factor = nullptr;
  float centre_slack = 0;
  float width_slack = 0;
  float width_scale = 1;
  float tiny = 0;
};
struct BlockBounds {
  float centre[kLanes];
  float width[kLanes];
};
void BoundsOf(const float* block, const BoundTerms& terms, BlockBounds& out);

/// The highest that centre + r width gets among some arms, at fixed radii r.
inline constexpr std::size_t kRadii = 8;
using Radii = std::array<float, kRadii>;
struct Ceiling {
  Radii height;
  float widest;
};
/// Of no arms: low, but a number that can be calculated with.
inline constexpr float kNoHeight = std::numeric_limits<float>::lowest();
inline constexpr Ceiling kNoCeiling = {
    {kNoHeight, kNoHeight, kNoHeight, kNoHeight, kNoHeight, kNoHeight,
     kNoHeight, kNoHeight},
    0};

/// Divides arms by whether centre + radius width reaches the cutoff.
struct SurveyTerms {
  BoundTerms bounds;
  float radius = 0;
  float cutoff = 0;
  Radii radii{};
};
/// For each block: all its bounds, and which of the given lanes reach the
/// cutoff. The others raise `rest`. REQUIRES: `bounds` and `reaching` are as
/// long as `blocks`.
void Survey(const BlockTable& table, std::span<const MaskedBlock> blocks,
            const SurveyTerms& terms, std::span<BlockBounds> bounds,
            std::span<std::uint32_t> reaching, Ceiling& rest);

/// Which of up to kDirectionGroup directions have an inner product of at least
/// `threshold` with the vector, as bits. They lie in blocks of kLanes, like
/// arms.
inline constexpr std::size_t kDirectionGroup = std::size_t{4} * kLanes;
std::uint64_t DirectionsReached(const float* directions, std::size_t count,
                                std::span<const float> vector, float threshold);

/// For rows, not blocks, and summed in an order that depends on the registers:
/// |a - b|^2 and <a, b> of n floats. REQUIRES: n is a multiple of 4.
float SquaredDistance(const float* a, const float* b, std::size_t n);
float InnerProduct(const float* a, const float* b, std::size_t n);

/// The sum of n floats, read once from beginning to end: what a scan's time is
/// held against. REQUIRES: n is a multiple of kLanes.
float PlainRead(const float* values, std::size_t n);

/// The instruction set in use, as Highway names it.
std::string InstructionSet();

}  // namespace manyarms::kernels

#endif  // MANYARMS_KERNELS_KERNELS_H_
