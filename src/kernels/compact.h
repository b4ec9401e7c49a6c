#ifndef MANYARMS_KERNELS_COMPACT_H_
#define MANYARMS_KERNELS_COMPACT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/blocks.h"

/// Arms with 8 bits a feature. A feature x is stored as the whole number q
/// nearest to x / scale, within [-127, 127]. Inner products with such arms are
/// exact sums of integers, the same for every instruction set.
///
/// A compact block has kLanes arms. Four features of an arm lie together, which
/// is what the instructions for inner products of bytes ask for: feature
/// 4g + i of lane l is the byte 64g + 4l + i, plus 128. Missing features of the
/// last four are 0.
namespace manyarms::kernels {

/// How many features of an arm lie together.
inline constexpr std::size_t kQuad = 4;

constexpr std::size_t QuadsOf(std::size_t dim) {
  return (dim + kQuad - 1) / kQuad;
}
constexpr std::size_t CompactBlockBytes(std::size_t dim) {
  return QuadsOf(dim) * kLanes * kQuad;
}

struct BlockShapes {
  float length[kLanes];  ///< Euclidean, rounded up
  float peak[kLanes];    ///< the largest absolute value of a feature
};

/// Shapes of the arms in a block of features. Each lane is computed by itself:
/// the shape of an arm depends neither on its lane nor on other arms.
void ShapesOf(const float* block, std::size_t dim, BlockShapes& shapes);

/// Makes a compact block of a block of features, with a scale for each lane,
/// and upper bounds of |x - scale q|. REQUIRES: scales are normal numbers above
/// 0, and `compact` is aligned to a cache line.
void MakeCompact(const float* block, std::size_t dim,
                 std::span<const float, kLanes> scales, std::uint8_t* compact,
                 std::span<float, kLanes> errors);

/// The reverse: a block of the features scale q, rounded to float. REQUIRES:
/// both are aligned to cache lines.
void RestoreBlock(const std::uint8_t* compact, std::size_t dim, float scale,
                  float* block);

/// Copies an arm from one lane to another, which may be of another block.
void CopyCompact(const std::uint8_t* from, std::uint32_t from_lane,
                 std::uint8_t* to, std::uint32_t to_lane, std::size_t dim);

/// A direction with 8 bits a feature: direction = step h + remainder, where h
/// has whole numbers within [-127, 127].
class CompactDirection {
 public:
  /// REQUIRES: the values are finite.
  void Take(std::span<const float> direction);

  double step() const { return step_; }
  /// |remainder|, rounded up.
  double error() const { return error_; }
  /// |direction|, rounded up.
  double length() const { return length_; }

  /// How much <direction, x> may exceed step scale <h, q>, for an arm x of at
  /// most this length with |x - scale q| <= arm_error.
  double Neglected(double arm_length, double arm_error) const {
    return error_ * (arm_length + arm_error) + length_ * arm_error;
  }

  // For the kernels. A word has four bytes of h, or the two of them with even
  // or odd places as 16-bit numbers.
  std::span<const std::uint32_t> bytes() const { return bytes_; }
  std::span<const std::uint32_t> even() const { return even_; }
  std::span<const std::uint32_t> odd() const { return odd_; }
  /// What the offset of 128 adds to the inner product with every arm.
  std::int32_t offset() const { return offset_; }

  std::size_t memory_bytes() const {
    return (bytes_.capacity() + even_.capacity() + odd_.capacity()) *
           sizeof(std::uint32_t);
  }

 private:
  std::vector<std::uint32_t> bytes_, even_, odd_;
  std::int32_t offset_ = 0;
  double step_ = 1;
  double error_ = 0;
  double length_ = 0;
};

/// No inner product <h, q> is above this or below its negative.
inline constexpr std::int32_t kMostCompact = 1 << 27;

/// A threshold for <h, q>: every whole number that is at least `quotient`
/// reaches it, even if the quotient was computed with a relative error of
/// 2^-30. If the quotient is NaN, all numbers reach it.
std::int32_t CompactThreshold(double quotient);

/// The lanes whose <h, q> is at least `threshold`: writes an entry for each
/// block that has any, with its number, and returns how many entries there are.
/// REQUIRES: `reaching` is at least as long as `count`; |threshold| is at most
/// kMostCompact.
std::size_t CompactReaching(const std::uint8_t* blocks, std::size_t count,
                            const CompactDirection& direction,
                            std::int32_t threshold,
                            std::span<MaskedBlock> reaching);

}  // namespace manyarms::kernels

#endif  // MANYARMS_KERNELS_COMPACT_H_
