#include "lsh/band.h"

#include <algorithm>
#include <cmath>

#include "lsh/sphere.h"
#include "manyarms/random.h"

namespace manyarms::lsh {
namespace {

// The band of zero and of all points too short to matter.
constexpr BandNumber kLowest = -200;

}  // namespace

double BandScale(BandNumber band) { return std::exp2(0.5 * band); }

BandNumber BandOf(double length) {
  if (length <= BandScale(kLowest)) return kLowest;
  auto band = static_cast<BandNumber>(std::ceil(2 * std::log2(length)));
  // Rounding of the logarithm may have crossed a boundary between bands.
  while (BandScale(band) < length) ++band;
  while (BandScale(band - 1) >= length) --band;
  return band;
}

Band::Band(Reduction reduction, BandNumber number, const TreeShape& shape,
           std::size_t copies, std::uint64_t seed)
    : reduction_(reduction), scale_(BandScale(number)), on_sphere_(shape.dim) {
  // Each band has its own stream of seeds.
  RandomStream seeds(seed, RandomStream::Role::kCopy,
                     static_cast<std::uint64_t>(number - kLowest));
  trees_.reserve(copies);
  for (std::size_t i = 0; i < copies; ++i)
    trees_.emplace_back(shape, seeds.Bits());
}

void Band::Insert(PointNumber number, std::span<const float> point) {
  PointOnSphere(reduction_, point, scale_, on_sphere_);
  for (FilterTree& tree : trees_) tree.Insert(number, on_sphere_);
  ++size_;
}

void Band::Erase(PointNumber number, std::span<const float> point) {
  PointOnSphere(reduction_, point, scale_, on_sphere_);
  for (FilterTree& tree : trees_) tree.Erase(number, on_sphere_);
  --size_;
}

std::size_t Band::bytes() const {
  std::size_t sum = 0;
  for (const FilterTree& tree : trees_) sum += tree.bytes();
  return sum;
}

}  // namespace manyarms::lsh
