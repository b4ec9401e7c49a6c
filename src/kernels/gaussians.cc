#include "kernels/gaussians.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gaussians.cc"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle)
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;
using Words = hn::RebindToUnsigned<Doubles>;
using Real = hn::Vec<Doubles>;
using Bits = hn::Vec<Words>;

HWY_INLINE Bits Word(std::uint64_t value) { return hn::Set(Words(), value); }
HWY_INLINE Real Number(double value) { return hn::Set(Doubles(), value); }

// The product of the lower halves.
HWY_INLINE Bits Multiply(Bits a, Bits b) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Mul(a, b);
#else
  const hn::Repartition<std::uint32_t, Words> halves;
  return hn::MulEven(hn::BitCast(halves, a), hn::BitCast(halves, b));
#endif
}

struct Pair {
  Bits first, second;
};

// Philox4x32-10 (Salmon et al., 2011) for one block in each lane. Words of 32
// bits lie in the lower halves of lanes.
HWY_INLINE Pair Philox(const PhiloxState& state, Bits last_word) {
  const Bits low = Word(0xffffffffU);
  Bits c0 = Word(state.counter[0]);
  Bits c1 = Word(state.counter[1]);
  Bits c2 = Word(state.counter[2]);
  Bits c3 = last_word;
  std::uint32_t k0 = state.key[0];
  std::uint32_t k1 = state.key[1];
  for (int round = 0; round < 10; ++round) {
    const Bits p0 = Multiply(c0, Word(0xd2511f53U));
    const Bits p1 = Multiply(c2, Word(0xcd9e8d57U));
    c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p1), c1), Word(k0));
    c1 = hn::And(p1, low);
    c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p0), c3), Word(k1));
    c3 = hn::And(p0, low);
    k0 += 0x9e3779b9U;
    k1 += 0xbb67ae85U;
  }
  return {hn::Or(c0, hn::ShiftLeft<32>(c1)), hn::Or(c2, hn::ShiftLeft<32>(c3))};
}

// REQUIRES: below 2^53, so that the result is exact.
HWY_INLINE Real ToNumber(Bits value) {
  const hn::RebindToSigned<Doubles> whole;
  return hn::ConvertTo(Doubles(), hn::BitCast(whole, value));
}

// In (0, 1].
HWY_INLINE Real PositiveUniform(Bits bits) {
  const Real number = ToNumber(hn::ShiftRight<11>(bits));
  return hn::Mul(hn::Add(number, Number(1)), Number(0x1p-53));
}

// c[0] + z (c[1] + z (c[2] + ...))
template <std::size_t n>
HWY_INLINE Real Polynomial(const double (&c)[n], Real z) {
  Real sum = Number(c[n - 1]);
  for (std::size_t i = n - 1; i-- > 0;) sum = hn::MulAdd(sum, z, Number(c[i]));
  return sum;
}

// The logarithm of a positive normal number x = 2^k (1 + f) with 1 + f between
// sqrt(1/2) and sqrt(2). With s = f / (2 + f), log(1 + f) = 2 atanh(s). The
// coefficients are those of FreeBSD's e_log.c.
HWY_INLINE Real Log(Real x) {
  constexpr double kAtanh[] = {
      6.666666666666735130e-01, 3.999999999940941908e-01,
      2.857142874366239149e-01, 2.222219843214978396e-01,
      1.818357216161805012e-01, 1.531383769920937332e-01,
      1.479819860511658591e-01};
  constexpr double kLog2High = 6.93147180369123816490e-01;
  constexpr double kLog2Low = 1.90821492927058770002e-10;
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e00000000U;
  constexpr std::uint64_t kBias = 1024;

  const Bits shifted =
      hn::Add(hn::BitCast(Words(), x), Word((kBias << 52) - kRootHalf));
  const Real k =
      hn::Sub(ToNumber(hn::ShiftRight<52>(shifted)), Number(double{kBias}));
  const Bits fraction = hn::And(shifted, Word((std::uint64_t{1} << 52) - 1));
  const Real f = hn::Sub(
      hn::BitCast(Doubles(), hn::Add(fraction, Word(kRootHalf))), Number(1));
  const Real s = hn::Div(f, hn::Add(f, Number(2)));
  const Real z = hn::Mul(s, s);
  const Real r = hn::Mul(z, Polynomial(kAtanh, z));
  const Real half_square = hn::Mul(hn::Mul(f, f), Number(0.5));
  const Real low =
      hn::MulAdd(s, hn::Add(half_square, r), hn::Mul(k, Number(kLog2Low)));
  return hn::MulAdd(k, Number(kLog2High),
                    hn::Sub(f, hn::Sub(half_square, low)));
}

struct CosineAndSine {
  Real cosine, sine;
};

// Of an angle of `turns` turns, in (0, 1], that is rounded to double as the
// standard library's functions get it. The coefficients are those of FreeBSD's
// k_cos.c and k_sin.c.
HWY_INLINE CosineAndSine CosSin(Real turns) {
  constexpr double kSine[] = {
      -1.66666666666666324348e-01, 8.33333333332248946124e-03,
      -1.98412698298579493134e-04, 2.75573137070700676789e-06,
      -2.50507602534068634195e-08, 1.58969099521155010221e-10};
  constexpr double kCosine[] = {
      4.16666666666666019037e-02, -1.38888888888741095749e-03,
      2.48015872894767294178e-05, -2.75573143513906633035e-07,
      2.08757232129817482790e-09, -1.13596475577881948265e-11};
  // A quarter turn. The higher part has 33 bits, so that up to four times it is
  // exact, and so is the difference from an angle.
  constexpr double kQuarterHigh = 1.57079632673412561417e+00;
  constexpr double kQuarterMiddle = 6.07710050630396597660e-11;
  constexpr double kQuarterLow = 2.02226624879595063154e-21;

  const Real angle = hn::Mul(Number(2 * std::numbers::pi), turns);
  const Real quarters = hn::Round(hn::Mul(turns, Number(4)));
  Real x = hn::Sub(angle, hn::Mul(quarters, Number(kQuarterHigh)));
  x = hn::Sub(x, hn::Mul(quarters, Number(kQuarterMiddle)));
  x = hn::Sub(x, hn::Mul(quarters, Number(kQuarterLow)));

  const Real z = hn::Mul(x, x);
  const Real sine = hn::MulAdd(hn::Mul(x, z), Polynomial(kSine, z), x);
  const Real half = hn::Mul(z, Number(0.5));
  const Real one_less = hn::Sub(Number(1), half);
  const Real lost = hn::Sub(hn::Sub(Number(1), one_less), half);
  const Real cosine = hn::Add(
      one_less, hn::MulAdd(hn::Mul(z, z), Polynomial(kCosine, z), lost));

  const auto first = hn::Eq(quarters, Number(1));
  const auto second = hn::Eq(quarters, Number(2));
  const auto third = hn::Eq(quarters, Number(3));
  const auto odd = hn::Or(first, third);
  const Real c = hn::IfThenElse(odd, sine, cosine);
  const Real s = hn::IfThenElse(odd, cosine, sine);
  return {hn::IfThenElse(hn::Or(first, second), hn::Neg(c), c),
          hn::IfThenElse(hn::Or(second, third), hn::Neg(s), s)};
}

void FillGaussians(const PhiloxState& state, std::span<float> out) {
  const Doubles tag;
  const hn::Rebind<float, Doubles> floats;
  const std::size_t lanes = hn::Lanes(tag);
  alignas(64) float cosines[8];
  alignas(64) float sines[8];
  const Bits steps = hn::Iota(Words(), 0);
  std::uint64_t block = state.counter[3];
  for (std::size_t i = 0; i < out.size(); i += 2 * lanes, block += lanes) {
    const Bits last_word =
        hn::And(hn::Add(Word(block), steps), Word(0xffffffffU));
    const Pair bits = Philox(state, last_word);
    const Real radius =
        hn::Sqrt(hn::Mul(Number(-2), Log(PositiveUniform(bits.first))));
    const CosineAndSine angle = CosSin(PositiveUniform(bits.second));
    hn::Store(hn::DemoteTo(floats, hn::Mul(radius, angle.cosine)), floats,
              cosines);
    hn::Store(hn::DemoteTo(floats, hn::Mul(radius, angle.sine)), floats, sines);
    const std::size_t count = HWY_MIN(2 * lanes, out.size() - i);
    for (std::size_t k = 0; k < count; ++k) {
      out[i + k] = k % 2 == 0 ? cosines[k / 2] : sines[k / 2];
    }
  }
}

}  // namespace
}  // namespace manyarms::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace manyarms::kernels {

HWY_EXPORT(FillGaussians);

void FillGaussians(const PhiloxState& state, std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(FillGaussians)(state, out);
}

}  // namespace manyarms::kernels

#endif  // HWY_ONCE
