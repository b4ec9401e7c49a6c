#include "manyarms/random.h"

#include <Random123/philox.h>

#include <bit>
#include <cmath>
#include <numbers>

#include "kernels/gaussians.h"

namespace manyarms {
namespace {

// Lies in (0, 1], so that its logarithm is finite.
double PositiveUniform(std::uint64_t bits) {
  return (static_cast<double>(bits >> 11) + 1.0) * 0x1p-53;
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, Role role, std::uint64_t index)
    : key_{static_cast<std::uint32_t>(seed),
           static_cast<std::uint32_t>(seed >> 32)},
      counter_{static_cast<std::uint32_t>(index),
               static_cast<std::uint32_t>(index >> 32),
               static_cast<std::uint32_t>(role), 0} {}

std::array<std::uint64_t, 2> RandomStream::NextBlock() {
  const r123::Philox4x32 philox;
  const auto words =
      philox({{counter_[0], counter_[1], counter_[2], counter_[3]}},
             {{key_[0], key_[1]}});
  ++counter_[3];
  return {words[0] | static_cast<std::uint64_t>(words[1]) << 32,
          words[2] | static_cast<std::uint64_t>(words[3]) << 32};
}

std::uint64_t RandomStream::Bits() {
  if (left_ == 0) {
    block_ = NextBlock();
    left_ = 2;
  }
  return block_[static_cast<std::size_t>(2 - left_--)];
}

double RandomStream::Uniform() {
  return static_cast<double>(Bits() >> 11) * 0x1p-53;
}

std::uint64_t RandomStream::Below(std::uint64_t bound) {
  // If the lowest 2^64 mod bound values were not rejected, small results would
  // be slightly more likely than others.
  const std::uint64_t excess = (0 - bound) % bound;
  for (;;) {
    const std::uint64_t bits = Bits();
    if (bits >= excess) return bits % bound;
  }
}

// Box-Muller needs no tables and, unlike rejection methods, a fixed number of
// draws per value.
void RandomStream::Gaussians(std::span<double> out) {
  for (std::size_t i = 0; i < out.size(); i += 2) {
    const auto [first, second] = NextBlock();
    const double radius = std::sqrt(-2.0 * std::log(PositiveUniform(first)));
    const double angle = 2.0 * std::numbers::pi * PositiveUniform(second);
    out[i] = radius * std::cos(angle);
    if (i + 1 < out.size()) out[i + 1] = radius * std::sin(angle);
  }
}

// The same pairs from a kernel. Features of arms are floats, and there may be
// billions of them.
void RandomStream::Gaussians(std::span<float> out) {
  kernels::FillGaussians({key_, counter_}, out);
  counter_[3] += static_cast<std::uint32_t>((out.size() + 1) / 2);
}

double RandomStream::Gaussian() {
  double value = 0;
  Gaussians({&value, 1});
  return value;
}

}  // namespace manyarms
