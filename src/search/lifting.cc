#include "search/lifting.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace manyarms {

void FoldSquare(std::span<const float> x, std::span<float> out) {
  constexpr auto kSqrt2 = std::numbers::sqrt2_v<float>;
  std::size_t at = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) out[at++] = kSqrt2 * x[i] * x[j];
    out[at++] = x[i] * x[i];
  }
}

void FoldForm(const RowMatrix& factor, std::span<float> out) {
  const Eigen::MatrixXd form = factor.transpose() * factor;
  std::size_t at = 0;
  for (Eigen::Index i = 0; i < form.rows(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      out[at++] = static_cast<float>(std::numbers::sqrt2 * form(i, j));
    }
    out[at++] = static_cast<float>(form(i, i));
  }
}

std::size_t LiftedDim(Objective objective, std::size_t dim) {
  switch (objective) {
    case Objective::kQuadraticForm:
      return FoldedSize(dim);
    case Objective::kQuadraticOptimism:
      return dim + FoldedSize(dim);
    case Objective::kInnerProduct:
    case Objective::kOptimism:
      break;
  }
  return dim;
}

void LiftArm(Objective objective, std::span<const float> x,
             std::span<float> out) {
  if (objective != Objective::kQuadraticForm) {
    std::ranges::copy(x, out.begin());
    out = out.subspan(x.size());
  }
  if (objective != Objective::kInnerProduct) FoldSquare(x, out);
}

void LiftQuery(Objective objective, const Query& query, std::span<float> out) {
  if (objective != Objective::kQuadraticForm) {
    std::ranges::transform(*query.direction, out.begin(),
                           [](double v) { return static_cast<float>(v); });
    out = out.subspan(static_cast<std::size_t>(query.direction->size()));
  }
  if (objective != Objective::kInnerProduct) {
    FoldForm(query.exploration * *query.factor, out);
  }
}

double Norm(std::span<const float> p) {
  double sum = 0;
  for (const float value : p) sum += static_cast<double>(value) * value;
  return std::sqrt(sum);
}

float EuclideanCoordinate(std::span<const float> p, double bound) {
  const double norm = Norm(p);
  return static_cast<float>(std::sqrt((bound - norm) * (bound + norm)));
}

}  // namespace manyarms
