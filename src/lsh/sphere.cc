#include "lsh/sphere.h"

#include <algorithm>
#include <cmath>

namespace manyarms {
namespace lsh {
namespace {

double SquaredNorm(std::span<const float> v) {
  double sum = 0;
  for (const float value : v) sum += static_cast<double>(value) * value;
  return sum;
}

void Scaled(std::span<const float> v, double factor, std::span<float> out) {
  std::ranges::transform(v, out.begin(), [factor](float value) {
    return static_cast<float>(factor * value);
  });
}

}  // namespace

void PointOnSphere(Reduction reduction, std::span<const float> p, double scale,
                   std::span<float> out) {
  const double square = std::min(1.0, SquaredNorm(p) / (scale * scale));
  if (reduction == Reduction::kSymmetric) {  // [p; sqrt(1 - |p|^2)]
    Scaled(p, 1 / scale, out.first(p.size()));
    out[p.size()] = static_cast<float>(std::sqrt(1 - square));
  } else {  // [1/2; p/2; sqrt(3 - |p|^2)/2; 0]
    out[0] = 0.5F;
    Scaled(p, 0.5 / scale, out.subspan(1, p.size()));
    out[p.size() + 1] = static_cast<float>(std::sqrt(3 - square) / 2);
    out[p.size() + 2] = 0;
  }
}

void QueryOnSphere(Reduction reduction, std::span<const float> q,
                   std::span<float> out) {
  const double norm = std::sqrt(SquaredNorm(q));
  const double factor = norm > 0 ? 1 / norm : 0;
  const double square = norm > 0 ? 1 : 0;
  if (reduction == Reduction::kSymmetric) {  // [q; 0], or [0; 1] if q is zero
    Scaled(q, factor, out.first(q.size()));
    out[q.size()] = static_cast<float>(1 - square);
  } else {  // [1/2; q/2; 0; sqrt(3 - |q|^2)/2]
    out[0] = 0.5F;
    Scaled(q, factor / 2, out.subspan(1, q.size()));
    out[q.size() + 1] = 0;
    out[q.size() + 2] = static_cast<float>(std::sqrt(3 - square) / 2);
  }
}

}  // namespace lsh

double SphereCosine(Reduction reduction, double inner_product) {
  return reduction == Reduction::kSymmetric ? inner_product
                                            : (1 + inner_product) / 4;
}

std::size_t SphereDim(Reduction reduction, std::size_t dim) {
  return dim + (reduction == Reduction::kSymmetric ? 1 : 3);
}

}  // namespace manyarms
