// The scores that arms are compared by, each a class that computes those of a
// block. blocks-inl.h says why the guard looks as it does.
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

// A block's values in registers that may be half as wide as the widest.
template <class Narrow>
HWY_INLINE Whole Widened(const hn::Vec<Narrow>* parts) {
  Whole whole;
  for (std::size_t p = 0; p < kParts; ++p) {
    if constexpr (hn::MaxLanes(Narrow()) < kWidth) {
      whole.part[p] = Combine(Tag(), parts[2 * p + 1], parts[2 * p]);
    } else {
      whole.part[p] = parts[p];
    }
  }
  return whole;
}

class InnerProductScore {
 public:
  explicit InnerProductScore(std::span<const float> direction)
      : direction_(direction.data()), dim_(direction.size()) {}

  HWY_INLINE Whole operator()(const float* HWY_RESTRICT x) const {
    hn::Vec<Narrow> sums[kNarrowParts];
    for (auto& sum : sums) sum = hn::Zero(Narrow());
    std::size_t j = 0;
    for (; j + kStep <= dim_; j += kStep) {
      HWY_UNROLL(8)
      for (std::size_t k = 0; k < kStep; ++k) AddFeature(x, j + k, sums);
    }
    for (; j < dim_; ++j) AddFeature(x, j, sums);
    return Widened<Narrow>(sums);
  }

 private:
  // Registers of 256 bits at most. On an AMD EPYC (Zen 4) those of 512 bits are
  // no faster in cache, and read at four fifths of the speed beyond it. (On
  // Intel, where they were not measured, two loads of 256 bits a cycle are as
  // much as the second cache provides.)
  using Narrow = hn::CappedTag<float, kLanes / 2>;
  static constexpr std::size_t kNarrowParts = kLanes / hn::MaxLanes(Narrow());

  // Coordinates without a branch between them: as many as make sixteen loads
  // of features.
  static constexpr std::size_t kStep = HWY_MAX(16 / kNarrowParts, 1);

  HWY_INLINE void AddFeature(const float* HWY_RESTRICT x, std::size_t j,
                             hn::Vec<Narrow>* HWY_RESTRICT sums) const {
    const auto a = hn::Set(Narrow(), direction_[j]);
    const float* HWY_RESTRICT feature = x + j * kLanes;
    for (std::size_t p = 0; p < kNarrowParts; ++p) {
      const auto part =
          hn::Load(Narrow(), feature + p * hn::MaxLanes(Narrow()));
      sums[p] = hn::MulAdd(a, part, sums[p]);
    }
  }

  const float* direction_;
  std::size_t dim_;
};

class QuadraticFormScore {
 public:
  explicit QuadraticFormScore(const PackedFactor& factor)
      : factor_(factor.data()), dim_(factor.dim()) {}

  // It is not inlined, because it needs all sixteen registers of AVX2. Among
  // the caller's variables the compiler would keep a sum in memory, where each
  // addition waits for the last one to be stored, and take twice the time.
  HWY_NOINLINE Whole operator()(const float* HWY_RESTRICT x) const {
    Whole forms;
    for (std::size_t p = 0; p < kParts; p += kTogether) {
      const auto form = Form(x + p * kWidth);
      for (std::size_t q = 0; q < kTogether; ++q) {
        forms.part[p + q] = form.part[q];
      }
    }
    return forms;
  }

 private:
  // Four rows of two registers leave room for what they are computed from.
  static constexpr std::size_t kTogether = HWY_MIN(kParts, 2);

  HWY_INLINE Registers<kTogether> Form(const float* HWY_RESTRICT x) const {
    const float* HWY_RESTRICT a = factor_;
    auto form = Zeros<kTogether>();
    for (std::size_t row = 0; row < dim_; row += PackedFactor::kRows) {
      auto row0 = Zeros<kTogether>();
      auto row1 = row0;
      auto row2 = row0;
      auto row3 = row0;
      const std::size_t columns = HWY_MIN(row + PackedFactor::kRows, dim_);
      for (std::size_t j = 0; j < columns; ++j, a += PackedFactor::kRows) {
        const auto column = Load<kTogether>(x + j * kLanes);
        row0 = MulAdd(a[0], column, row0);
        row1 = MulAdd(a[1], column, row1);
        row2 = MulAdd(a[2], column, row2);
        row3 = MulAdd(a[3], column, row3);
      }
      form = AddSquare(row0, form);
      form = AddSquare(row1, form);
      form = AddSquare(row2, form);
      form = AddSquare(row3, form);
    }
    return form;
  }

  const float* factor_;
  std::size_t dim_;
};

}  // namespace manyarms::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MANYARMS_KERNELS_SCORES_INL_H_
