// The scores that arms are compared by, each a class that computes them at two
// places. blocks-inl.h says why the guard looks as it does.
#if defined(MANYARMS_KERNELS_SCORES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MANYARMS_KERNELS_SCORES_INL_H_
#undef MANYARMS_KERNELS_SCORES_INL_H_
#else
#define MANYARMS_KERNELS_SCORES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <span>

#include "kernels/blocks-inl.h"
#include "kernels/packed_factor.h"

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {

class InnerProductScore {
 public:
  static constexpr bool kManyAddsPerLoad = false;

  explicit InnerProductScore(std::span<const float> direction)
      : direction_(direction) {}

  HWY_INLINE Two operator()(const float* HWY_RESTRICT x,
                            const float* HWY_RESTRICT y) const {
    Two sum = Zeros();
    for (const float value : direction_) {
      sum = MulAdd(value, Load(x, y), sum);
      x += kLanes;
      y += kLanes;
    }
    return sum;
  }

 private:
  std::span<const float> direction_;
};

class QuadraticFormScore {
 public:
  static constexpr bool kManyAddsPerLoad = true;

  explicit QuadraticFormScore(const PackedFactor& factor)
      : factor_(factor.data()), dim_(factor.dim()) {}

  HWY_INLINE Two operator()(const float* HWY_RESTRICT x,
                            const float* HWY_RESTRICT y) const {
    const float* HWY_RESTRICT a = factor_;
    Two form = Zeros();
    for (std::size_t row = 0; row < dim_; row += PackedFactor::kRows) {
      Two row0 = Zeros();
      Two row1 = Zeros();
      Two row2 = Zeros();
      Two row3 = Zeros();
      const std::size_t columns = HWY_MIN(row + PackedFactor::kRows, dim_);
      for (std::size_t j = 0; j < columns; ++j, a += PackedFactor::kRows) {
        const Two xy = Load(x + j * kLanes, y + j * kLanes);
        row0 = MulAdd(a[0], xy, row0);
        row1 = MulAdd(a[1], xy, row1);
        row2 = MulAdd(a[2], xy, row2);
        row3 = MulAdd(a[3], xy, row3);
      }
      form = AddSquare(row3,
                       AddSquare(row2, AddSquare(row1, AddSquare(row0, form))));
    }
    return form;
  }

 private:
  const float* factor_;
  std::size_t dim_;
};

}  // namespace manyarms::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MANYARMS_KERNELS_SCORES_INL_H_
