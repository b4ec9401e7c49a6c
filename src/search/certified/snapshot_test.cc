#include "search/certified/snapshot.h"

#include <cmath>

#include "posterior/posterior.h"
#include "search/scorer.h"
#include "testing.h"

namespace manyarms {
namespace {

using Role = RandomStream::Role;

constexpr double kRadius = 2;

// From almost no exploration to the largest that is allowed.
constexpr double kRadii[] = {1e-30, 1e-6, 2, 1e6};

struct Case {
  Objective objective;
  std::size_t dim;
  double regularisation;
  float scale;            // of what is learned
  std::uint64_t learned;  // before the snapshot
};

std::vector<Case> AllCases() {
  std::vector<Case> cases;
  for (const Objective objective :
       {Objective::kInnerProduct, Objective::kQuadraticForm,
        Objective::kOptimism, Objective::kQuadraticOptimism}) {
    for (const std::size_t dim : {1U, 3U, 16U, 50U, 200U}) {
      for (const double regularisation : {1e-9, 1.0, 1e9}) {
        for (const float scale : {1e-6F, 1.0F, 1e5F}) {
          for (const std::uint64_t learned : {0U, 2U, 400U}) {
            cases.push_back({objective, dim, regularisation, scale, learned});
          }
        }
      }
    }
  }
  return cases;
}

std::vector<float> Row(std::size_t dim, std::uint64_t index, float scale) {
  std::vector<float> row(dim);
  RandomStream(1, Role::kArm, index).Gaussians(row);
  for (float& value : row) value *= scale;
  return row;
}

// Learns along the first three arms, so that some directions are known far
// better than others.
void Learn(Posterior& posterior, std::uint64_t count, float scale) {
  for (std::uint64_t i = 0; i < count; ++i) {
    posterior.Update(Row(posterior.dim(), i % 3, scale), 1);
  }
}

// No score that a kernel computes is above its arm's upper bound. Exactness
// depends on this. It is tested where rounding is worst: with lengths from 0 to
// 10^5 and posteriors of any condition.
TEST(Snapshot, BoundsEveryScoreToCome) {
  for (const Case& c : AllCases()) {
    Posterior posterior(c.dim, c.regularisation);
    Learn(posterior, c.learned, c.scale);
    Snapshot snapshot(c.objective, posterior);

    ArmStore store(c.dim);
    ArmId id = 0;
    for (const float length :
         {0.0F, 1e-42F, 1e-25F, 1e-22F, 1e-15F, 1e-10F, 1.0F, 1e3F, 1e5F}) {
      for (int i = 0; i < 16; ++i, ++id) {
        store.Add(id, Row(c.dim, id % 20, length));
      }
    }
    const BlockTable table = store.blocks();
    for (std::uint64_t later = 0; later < 9; ++later) {
      Learn(posterior, later, c.scale);
      Eigen::VectorXd xi(static_cast<Eigen::Index>(c.dim));
      RandomStream(2, Role::kSample, later)
          .Gaussians(std::span(xi.data(), c.dim));
      const double beta = kRadii[later % std::size(kRadii)];
      const Eigen::VectorXd direction =
          later == 5 ? Eigen::VectorXd(1e3 * xi)
                     : posterior.Sample(beta, {xi.data(), c.dim});
      const RowMatrix factor = posterior.InverseFactor();
      const Query query{.belief = &posterior,
                        .direction = &direction,
                        .factor = &factor,
                        .exploration = beta};
      if (later == 3) snapshot.Tighten(query);
      const double radius = snapshot.Radius(query);
      const double curvature = snapshot.Curvature(query);
      ASSERT_TRUE(std::isfinite(radius));
      const Scorer scorer(c.objective, query);
      kernels::BlockBounds bounds;
      for (Slot slot = 0; slot < store.size(); ++slot) {
        const std::uint32_t block = BlockOf(slot);
        if (LaneOf(slot) == 0) {
          kernels::BoundsOf(table.Features(block), snapshot.terms(), bounds);
        }
        const MaskedBlock one{block, 1U << LaneOf(slot)};
        const float score = scorer.Best(table, {&one, 1}).score;
        const double width = bounds.width[LaneOf(slot)];
        const double bound =
            bounds.centre[LaneOf(slot)] + (radius + curvature * width) * width;
        const double height = c.objective == Objective::kQuadraticForm
                                  ? std::sqrt(static_cast<double>(score))
                                  : score;
        ASSERT_LE(height, bound)
            << "objective " << static_cast<int>(c.objective) << " dim " << c.dim
            << " regularisation " << c.regularisation << " scale " << c.scale
            << " learned " << c.learned << " later " << later << " slot "
            << slot;
      }
    }
  }
}

// Bounds that are never wrong could be far too high.
TEST(Snapshot, BoundsAreTight) {
  constexpr std::size_t kDim = 16;
  Posterior posterior(kDim, 1.0);
  Learn(posterior, 50, 1);
  const Snapshot snapshot(Objective::kInnerProduct, posterior);
  const std::vector<float> row = Row(kDim, 99, 1);
  ArmStore store(kDim);
  store.Add(0, row);
  kernels::BlockBounds bounds;
  kernels::BoundsOf(store.blocks().Features(0), snapshot.terms(), bounds);
  const double width = posterior.Width(row);
  EXPECT_NEAR(bounds.width[0], width, 1e-3 * width);

  // The direction for which the two sides of Cauchy-Schwarz are equal.
  const Eigen::MatrixXd a = posterior.InverseFactor();
  const Eigen::VectorXd x =
      Eigen::Map<const Eigen::VectorXf>(row.data(), kDim).cast<double>();
  const Eigen::VectorXd direction =
      posterior.Mean() + a.transpose() * (a * x) / width;
  const double radius =
      snapshot.Radius({.belief = &posterior, .direction = &direction});
  EXPECT_NEAR(radius, 1, 1e-4);
  EXPECT_NEAR(bounds.centre[0] + radius * bounds.width[0], direction.dot(x),
              1e-3 * width);
}

// Tighten finds out how far widths have fallen in all directions.
TEST(Snapshot, TightensByWhatWasLearnedInAllDirections) {
  Posterior posterior(2, 1.0);
  Snapshot snapshot(Objective::kQuadraticForm, posterior);
  for (int i = 0; i < 3; ++i) {
    posterior.Update(std::vector<float>{1, 0}, 0);
    posterior.Update(std::vector<float>{0, 1}, 0);
  }
  const RowMatrix factor = posterior.InverseFactor();
  const Query query{
      .belief = &posterior, .factor = &factor, .exploration = kRadius};
  EXPECT_DOUBLE_EQ(snapshot.Radius(query), kRadius);
  snapshot.Tighten(query);
  EXPECT_NEAR(snapshot.Radius(query), kRadius / 2, 1e-6);
}

}  // namespace
}  // namespace manyarms
