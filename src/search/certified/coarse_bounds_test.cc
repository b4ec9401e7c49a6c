#include "search/certified/coarse_bounds.h"

#include <cmath>

#include "catalogue/arm_store.h"
#include "posterior/posterior.h"
#include "testing.h"

namespace manyarms {
namespace {

using Role = RandomStream::Role;

// Arms of all lengths from 10^-40 to 10^5, or of the normal distribution.
ArmStore MakeArms(std::size_t dim, bool any_length) {
  ArmStore store(dim);
  store.KeepCompactCopy();
  for (ArmId id = 0; id < 3000; ++id) {
    std::vector<float> row(dim);
    RandomStream random(1, Role::kArm, id);
    random.Gaussians(row);
    const double size =
        any_length ? std::pow(10.0, -40 + 45 * random.Uniform()) : 1;
    for (float& value : row) value = static_cast<float>(value * size);
    store.Add(id, row);
  }
  return store;
}

Posterior MakePosterior(std::size_t dim, double regularisation) {
  Posterior posterior(dim, regularisation);
  for (std::uint64_t i = 0; i < 2 * dim; ++i) {
    std::vector<float> row(dim);
    RandomStream random(2, Role::kArm, i);
    random.Gaussians(row);
    // Some directions are known far better than others.
    row[0] *= 30;
    posterior.Update(row, 10 * random.Uniform());
  }
  return posterior;
}

std::int32_t Product(const std::uint8_t* block, std::uint32_t lane,
                     const kernels::CompactDirection& direction,
                     std::size_t dim) {
  std::int32_t product = 0;
  for (std::size_t j = 0; j < dim; ++j) {
    const int q = block[j / 4 * 64 + std::size_t{lane} * 4 + j % 4] - 128;
    const auto h = static_cast<std::int8_t>(
        direction.bytes()[j / 4] >> (8 * (j % 4)) & 0xffU);
    product += q * h;
  }
  return product;
}

// Every bound of the arm itself, as a survey of all arms computes it, is below
// the bounds from its compact copy.
TEST(CoarseBounds, AreAboveTheBoundsOfEveryArm) {
  for (const std::size_t dim : {1U, 3U, 16U, 50U}) {
    for (const bool any_length : {false, true}) {
      for (const double regularisation : {1e-6, 1.0, 1e6}) {
        const ArmStore store = MakeArms(dim, any_length);
        const Posterior posterior = MakePosterior(dim, regularisation);
        const Snapshot snapshot(Objective::kInnerProduct, posterior);
        CoarseBounds coarse(snapshot);
        const kernels::BoundTerms terms = snapshot.terms();
        for (const CompactCopy::Group* group : store.compact_copy()->groups()) {
          group->ForEachRun([&](const CompactCopy::Run& run) {
            for (std::uint32_t arm = 0; arm < run.arms; ++arm) {
              const std::uint8_t* block =
                  run.blocks + arm / kLanes * kernels::CompactBlockBytes(dim);
              const std::uint32_t lane = arm % kLanes;
              const Slot slot = run.slots[arm];
              kernels::BlockBounds exact;
              kernels::BoundsOf(store.blocks().Features(BlockOf(slot)), terms,
                                exact);
              const float centre = exact.centre[LaneOf(slot)];
              const float width = exact.width[LaneOf(slot)];
              const std::int32_t product =
                  Product(block, lane, coarse.direction(), dim);
              EXPECT_GE(coarse.CentreAt(*group, product), centre);
              EXPECT_GE(coarse.Width(*group), width);
              kernels::BlockBounds fine;
              coarse.Of(*group, block, fine);
              EXPECT_GE(fine.centre[lane], centre);
              EXPECT_GE(fine.width[lane], width);
              // An arm that reaches a cutoff reaches its threshold.
              for (const double radius : {0.0, 1.0, 30.0}) {
                const auto cutoff = static_cast<float>(centre + radius * width);
                EXPECT_GE(product, coarse.Threshold(*group, radius, cutoff));
              }
            }
            return true;
          });
        }
      }
    }
  }
}

// They are worth something, too: on normal arms the fine ones are within a few
// per cent of the length of an arm's own.
TEST(CoarseBounds, AreNearTheBoundsOfNormalArms) {
  constexpr std::size_t kDim = 16;
  const ArmStore store = MakeArms(kDim, false);
  const Posterior posterior = MakePosterior(kDim, 1);
  const Snapshot snapshot(Objective::kInnerProduct, posterior);
  CoarseBounds coarse(snapshot);
  const double per_length = coarse.direction().length();
  for (const CompactCopy::Group* group : store.compact_copy()->groups()) {
    group->ForEachRun([&](const CompactCopy::Run& run) {
      kernels::BlockBounds exact;
      kernels::BlockBounds fine;
      kernels::BoundsOf(store.blocks().Features(BlockOf(run.slots[0])),
                        snapshot.terms(), exact);
      coarse.Of(*group, run.blocks, fine);
      const std::uint32_t lane = LaneOf(run.slots[0]);
      EXPECT_LT(fine.centre[0] - exact.centre[lane],
                0.05 * per_length * group->length());
      EXPECT_LT(fine.width[0] - exact.width[lane],
                0.05 * coarse.widest() * group->length());
      return true;
    });
  }
}

}  // namespace
}  // namespace manyarms
