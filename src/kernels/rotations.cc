#include "kernels/rotations.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rotations.cc"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle)
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<double, 8>;

// Lines (columns of L, or rows of A) that are rotated with the vector at a
// time: the vector is then read and written once for all of them.
constexpr std::size_t kLines = 4;

struct Rotation {
  double cosine;
  double sine;
};

template <class V>
HWY_INLINE V Rotated(V line, V other, Rotation r) {
  const hn::DFromV<V> tag;
  return hn::MulAdd(hn::Set(tag, r.cosine), line,
                    hn::Mul(hn::Set(tag, r.sine), other));
}

// [line; other] becomes [c s; -s c] [line; other], from place `i` on for as
// many whole registers as there are. Returns where it ended.
template <class D>
HWY_INLINE std::size_t RotateWhole(D tag, Rotation r, double* HWY_RESTRICT line,
                                   double* HWY_RESTRICT other, std::size_t i,
                                   std::size_t count) {
  const std::size_t lanes = hn::Lanes(tag);
  const Rotation back{r.cosine, -r.sine};
  for (; i + lanes <= count; i += lanes) {
    const auto a = hn::LoadU(tag, line + i);
    const auto b = hn::LoadU(tag, other + i);
    hn::StoreU(Rotated(a, b, r), tag, line + i);
    hn::StoreU(Rotated(b, a, back), tag, other + i);
  }
  return i;
}

// What is left at the end goes in smaller registers.
HWY_INLINE void RotateOne(Rotation r, double* line, double* other,
                          std::size_t count) {
  std::size_t i = RotateWhole(Tag(), r, line, other, 0, count);
  i = RotateWhole(hn::CappedTag<double, 4>(), r, line, other, i, count);
  i = RotateWhole(hn::CappedTag<double, 2>(), r, line, other, i, count);
  RotateWhole(hn::CappedTag<double, 1>(), r, line, other, i, count);
}

// The same for kLines lines in turn, `stride` apart.
HWY_INLINE void RotateLines(const Rotation* r, double* lines,
                            std::size_t stride, double* HWY_RESTRICT other,
                            std::size_t count) {
  const Tag tag;
  const std::size_t lanes = hn::Lanes(tag);
  double* HWY_RESTRICT line0 = lines;
  double* HWY_RESTRICT line1 = lines + stride;
  double* HWY_RESTRICT line2 = lines + 2 * stride;
  double* HWY_RESTRICT line3 = lines + 3 * stride;
  const Rotation back0{r[0].cosine, -r[0].sine};
  const Rotation back1{r[1].cosine, -r[1].sine};
  const Rotation back2{r[2].cosine, -r[2].sine};
  const Rotation back3{r[3].cosine, -r[3].sine};
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto a0 = hn::LoadU(tag, line0 + i);
    const auto a1 = hn::LoadU(tag, line1 + i);
    const auto a2 = hn::LoadU(tag, line2 + i);
    const auto a3 = hn::LoadU(tag, line3 + i);
    auto b = hn::LoadU(tag, other + i);
    hn::StoreU(Rotated(a0, b, r[0]), tag, line0 + i);
    b = Rotated(b, a0, back0);
    hn::StoreU(Rotated(a1, b, r[1]), tag, line1 + i);
    b = Rotated(b, a1, back1);
    hn::StoreU(Rotated(a2, b, r[2]), tag, line2 + i);
    b = Rotated(b, a2, back2);
    hn::StoreU(Rotated(a3, b, r[3]), tag, line3 + i);
    hn::StoreU(Rotated(b, a3, back3), tag, other + i);
  }
  for (std::size_t n = 0; n < kLines && i < count; ++n) {
    RotateOne(r[n], lines + n * stride + i, other + i, count - i);
  }
}

// The rotation that removes `entry`, and what it makes of `diagonal`. (Written
// in vectors of one lane, because a compiler may round a plain sum of products
// in several ways.)
HWY_INLINE Rotation Removing(double entry, double& diagonal) {
  const hn::CappedTag<double, 1> tag;
  const auto d = hn::Set(tag, diagonal);
  const auto e = hn::Set(tag, entry);
  const double rotated = hn::GetLane(hn::Sqrt(hn::MulAdd(d, d, hn::Mul(e, e))));
  const Rotation rotation{diagonal / rotated, entry / rotated};
  diagonal = rotated;
  return rotation;
}

void RotateIn(std::span<double> vector, double* lower, std::size_t stride,
              const Rotations& rotations) {
  const std::size_t dim = vector.size();
  for (std::size_t j = 0; j < dim; j += kLines) {
    const std::size_t lines = HWY_MIN(kLines, dim - j);
    double* corner = lower + j * stride + j;
    double* rest = vector.data() + j;
    Rotation r[kLines];
    // First the triangle at the diagonal, which makes the rotations.
    for (std::size_t n = 0; n < lines; ++n) {
      double* diagonal = corner + n * stride + n;
      r[n] = Removing(rest[n], *diagonal);
      RotateWhole(hn::CappedTag<double, 1>(), r[n], diagonal + 1, rest + n + 1,
                  0, lines - n - 1);
      rotations.cosines[j + n] = r[n].cosine;
      rotations.sines[j + n] = r[n].sine;
    }
    if (lines < kLines) break;
    RotateLines(r, corner + kLines, stride, rest + kLines, dim - j - kLines);
  }
}

void RotateRows(const Rotations& rotations, double* rows,
                std::span<double> extra) {
  const std::size_t dim = extra.size();
  const auto rotation = [&](std::size_t j) {
    return Rotation{rotations.cosines[j], rotations.sines[j]};
  };
  for (std::size_t j = 0; j < dim; j += kLines) {
    double* row = rows + j * dim;
    if (dim - j < kLines) {
      for (std::size_t n = j; n < dim; ++n) {
        RotateOne(rotation(n), rows + n * dim, extra.data(), n + 1);
      }
      break;
    }
    const Rotation r[kLines] = {rotation(j), rotation(j + 1), rotation(j + 2),
                                rotation(j + 3)};
    RotateLines(r, row, dim, extra.data(), j);
    for (std::size_t n = 0; n < kLines; ++n) {
      RotateOne(r[n], row + n * dim + j, extra.data() + j, n + 1);
    }
  }
}

}  // namespace
}  // namespace manyarms::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace manyarms::kernels {

HWY_EXPORT(RotateIn);
HWY_EXPORT(RotateRows);

namespace {

// In a narrow matrix a rotation waits for the one before it, and whole
// registers would only make it wait for memory, too.
constexpr std::size_t kNarrow = 64;

void RotateInNarrow(std::span<double> vector, double* lower, std::size_t stride,
                    const Rotations& rotations) {
  for (std::size_t j = 0; j < vector.size(); ++j) {
    double* column = lower + j * stride;
    const double diagonal = column[j];
    const double entry = vector[j];
    const double rotated = std::sqrt(diagonal * diagonal + entry * entry);
    const double cosine = diagonal / rotated;
    const double sine = entry / rotated;
    rotations.cosines[j] = cosine;
    rotations.sines[j] = sine;
    column[j] = rotated;
    for (std::size_t i = j + 1; i < vector.size(); ++i) {
      const double below = column[i];
      column[i] = cosine * below + sine * vector[i];
      vector[i] = cosine * vector[i] - sine * below;
    }
  }
}

}  // namespace

void RotateIn(std::span<double> vector, double* lower, std::size_t stride,
              const Rotations& rotations) {
  if (vector.size() <= kNarrow) {
    RotateInNarrow(vector, lower, stride, rotations);
    return;
  }
  HWY_DYNAMIC_DISPATCH(RotateIn)(vector, lower, stride, rotations);
}

void RotateRows(const Rotations& rotations, double* rows,
                std::span<double> extra) {
  HWY_DYNAMIC_DISPATCH(RotateRows)(rotations, rows, extra);
}

}  // namespace manyarms::kernels

#endif  // HWY_ONCE
