#include "search/lifting.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include "testing.h"

namespace manyarms {
namespace {

double Dot(std::span<const float> a, std::span<const float> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

TEST(Lifting, FoldedProductIsTheQuadraticForm) {
  for (const std::size_t dim : {1U, 2U, 7U, 16U}) {
    const auto n = static_cast<Eigen::Index>(dim);
    const RowMatrix factor =
        Eigen::MatrixXd::Random(n, n).triangularView<Eigen::Lower>();
    const auto x = testing::GaussianRows(1, dim, dim);
    std::vector<float> square(FoldedSize(dim));
    std::vector<float> form(FoldedSize(dim));
    FoldSquare(x, square);
    FoldForm(factor, form);
    const Eigen::VectorXd v =
        Eigen::Map<const Eigen::VectorXf>(x.data(), n).cast<double>();
    const double expected = (factor * v).squaredNorm();
    EXPECT_NEAR(Dot(square, form), expected, 1e-5 * (1 + expected));
  }
}

TEST(Lifting, LiftedProductIsTheScore) {
  for (const Objective objective :
       {Objective::kInnerProduct, Objective::kQuadraticForm,
        Objective::kQuadraticOptimism}) {
    for (const std::size_t dim : {1U, 2U, 7U, 16U}) {
      const auto n = static_cast<Eigen::Index>(dim);
      const RowMatrix factor =
          Eigen::MatrixXd::Random(n, n).triangularView<Eigen::Lower>();
      const Eigen::VectorXd direction = Eigen::VectorXd::Random(n);
      const auto x = testing::GaussianRows(1, dim, dim);
      const Eigen::VectorXd v =
          Eigen::Map<const Eigen::VectorXf>(x.data(), n).cast<double>();
      double expected = 0;
      if (objective != Objective::kQuadraticForm) expected += direction.dot(v);
      if (objective != Objective::kInnerProduct) {
        expected += (3 * factor * v).squaredNorm();
      }
      std::vector<float> arm(LiftedDim(objective, dim));
      std::vector<float> query(arm.size());
      LiftArm(objective, x, arm);
      LiftQuery(objective,
                {.direction = &direction, .factor = &factor, .exploration = 3},
                query);
      EXPECT_NEAR(Dot(arm, query), expected, 1e-4 * (1 + std::abs(expected)));
    }
  }
}

TEST(Lifting, FoldingKeepsLengths) {
  const auto x = testing::GaussianRows(1, 9, 3);
  std::vector<float> square(FoldedSize(9));
  FoldSquare(x, square);
  EXPECT_NEAR(Norm(square), Norm(x) * Norm(x), 1e-4);
}

// |p' - q'|^2 = bound^2 + |q|^2 - 2<p, q>.
TEST(Lifting, DistanceAfterLiftingOrdersByInnerProduct) {
  constexpr std::size_t kDim = 5;
  const auto rows = testing::GaussianRows(20, kDim, 4);
  const auto q = testing::GaussianRows(1, kDim, 5);
  constexpr double kBound = 10;
  for (std::size_t i = 0; i < 20; ++i) {
    const auto p = std::span(rows).subspan(i * kDim, kDim);
    double distance = std::pow(EuclideanCoordinate(p, kBound), 2);
    for (std::size_t j = 0; j < kDim; ++j) {
      distance += std::pow(p[j] - q[j], 2);
    }
    EXPECT_NEAR(distance, kBound * kBound + Dot(q, q) - 2 * Dot(p, q), 1e-4);
  }
}

// The paper's own map, coordinate by coordinate: with the bound sqrt 3 ours
// gives twice its distances between points, and hence the same graph.
TEST(Lifting, IsThePapersMapUpToScale) {
  constexpr std::size_t kDim = 4;
  const auto paper = [](std::span<const float> p) {
    std::vector<double> lifted = {0.5};
    for (const float v : p) lifted.push_back(v / 2.0);
    lifted.push_back(std::sqrt((3 - Dot(p, p)) / 4));
    return lifted;
  };
  const std::vector<float> a = {0.5F, 0.1F, -0.3F, 0.2F};
  const std::vector<float> b = {-0.1F, 0.7F, 0.2F, 0.6F};
  const auto pa = paper(a);
  const auto pb = paper(b);
  double theirs = 0;
  for (std::size_t j = 0; j < pa.size(); ++j)
    theirs += std::pow(pa[j] - pb[j], 2);
  const double bound = std::numbers::sqrt3;
  double ours = std::pow(
      EuclideanCoordinate(a, bound) - EuclideanCoordinate(b, bound), 2);
  for (std::size_t j = 0; j < kDim; ++j) ours += std::pow(a[j] - b[j], 2);
  EXPECT_NEAR(ours, 4 * theirs, 1e-6);
}

}  // namespace
}  // namespace manyarms
