#include "search/certified/survey.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "search/certified/collected.h"
#include "search/certified/compact_survey.h"

namespace manyarms {
namespace {

using kernels::BlockBounds;

// The number of blocks in the sample, for many arms. Of fewer arms a sixteenth
// is looked at, but at least a few blocks.
constexpr std::size_t kSample = 256;
constexpr std::size_t kLeastSample = 32;
std::size_t SampleSize(std::size_t blocks) {
  return std::min(blocks, std::clamp(blocks / 16, kLeastSample, kSample));
}

// The most blocks that are read under one lock. With many features fewer are,
// so that Add waits for some ten microseconds at most, or for two blocks if
// they take longer.
constexpr std::size_t kBatch = 64;
std::size_t BatchFor(std::size_t dim) {
  return std::clamp<std::size_t>(16384 / (dim * dim), 2, kBatch);
}

// What it costs to make an arm a contender, in arms scored by a scan. Most of
// it is for new memory. Measured with 16 features and a million arms.
constexpr std::uint64_t kContenderPrice = 30;

// What it costs to compute the fine bounds of a compact block.
std::uint64_t SurvivorPrice(std::size_t dim) { return 32 + dim; }

// The part of all arms that may be contenders. It bounds their memory.
constexpr double kMostContenders = 1.0 / 4;

// The coarse radius is one of these multiples of the radius. The larger it is,
// the lower is the ceiling of the arms that are not looked at, and the more
// arms are.
constexpr std::array kCoarseMultiples = {2.0, 1.5, 1.0};

// Beyond this part of the arms it costs less to read all of them.
constexpr double kMostSurvivors = 1.0 / 32;

struct SampledArm {
  float bound;  // at the radius
  float centre;
  float width;
  float length;
};

// Fetches a block that will be looked at soon, as far as it is not large.
void Prefetch(const BlockTable& table, std::uint32_t block) {
  const float* features = table.Features(block);
  const std::size_t lines = std::min<std::size_t>(table.dim, 64);
  for (std::size_t j = 0; j < lines; ++j) {
    __builtin_prefetch(features + j * kLanes);
  }
}

// A sample of the arms, in no particular order, without their bounds.
std::vector<SampledArm> Sample(const BlockTable& table,
                               std::span<const MaskedBlock> arms,
                               const Snapshot& snapshot) {
  const kernels::BoundTerms terms = snapshot.terms();
  const std::size_t blocks = SampleSize(arms.size());
  std::vector<SampledArm> sample;
  sample.reserve(blocks * kLanes);
  BlockBounds bounds;
  const auto sampled = [&](std::size_t i) {
    return arms[i * arms.size() / blocks];
  };
  for (std::size_t i = 0; i < blocks; ++i) {
    constexpr std::size_t kAhead = 3;
    if (i + kAhead < blocks) Prefetch(table, sampled(i + kAhead).block);
    const MaskedBlock masked = sampled(i);
    kernels::BoundsOf(table.Features(masked.block), terms, bounds);
    ForEachLane(masked.lanes, [&](std::uint32_t lane) {
      sample.push_back({.bound = 0,
                        .centre = bounds.centre[lane],
                        .width = bounds.width[lane],
                        .length = bounds.length[lane]});
    });
  }
  return sample;
}

// The radius by which a walk will bound these arms.
double RadiusAmong(std::span<const SampledArm> sample, const Snapshot& snapshot,
                   const Query& query) {
  const double radius = snapshot.Radius(query);
  const double curvature = snapshot.Curvature(query);
  if (curvature == 0 || sample.empty()) return radius;
  return radius +
         curvature * std::ranges::max(sample, {}, &SampledArm::width).width;
}

// Chooses the largest coarse radius for which few arms have to be looked at;
// none if there is none.
void ChooseCoarseRadius(std::span<const SampledArm> sample, std::size_t arms,
                        SurveyPlan& plan) {
  const double widest = plan.snapshot.norm();
  for (const double multiple : kCoarseMultiples) {
    const double radius = multiple * plan.radius;
    const auto survivors =
        static_cast<double>(std::ranges::count_if(sample, [&](const auto& arm) {
          return arm.centre + radius * widest * arm.length >= plan.cutoff;
        }));
    const double share = survivors / static_cast<double>(sample.size());
    if (share > kMostSurvivors) continue;
    plan.coarse_radius = radius;
    // Blocks with at least one of them.
    plan.survivors = static_cast<std::size_t>(
        (1 - std::pow(1 - share, kLanes)) * static_cast<double>(arms) / kLanes);
    return;
  }
}

// The pass over all arms.
bool ReadAllArms(const ArmStore& store, std::span<const MaskedBlock> arms,
                 SurveyLocks locks, const std::atomic<bool>& cancelled,
                 Collected& collected) {
  std::array<BlockBounds, kBatch> bounds;
  std::array<std::uint32_t, kBatch> reaching;
  const std::size_t step = BatchFor(store.dim());
  for (std::size_t first = 0; first < arms.size(); first += step) {
    if (cancelled || collected.too_many()) return false;
    const auto batch = arms.subspan(first, std::min(step, arms.size() - first));
    std::shared_lock<SharedMutex> lock;
    if (locks == SurveyLocks::kBySurvey) lock = store.ReadLock();
    const BlockTable table = store.blocks();
    kernels::Survey(table, batch, collected.terms(),
                    std::span(bounds).first(batch.size()),
                    std::span(reaching).first(batch.size()), collected.rest());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const float* block = table.Features(batch[i].block);
      ForEachLane(reaching[i], [&](std::uint32_t lane) {
        const Slot slot = batch[i].block * kLanes + lane;
        collected.Add({.centre = bounds[i].centre[lane],
                       .width = bounds[i].width[lane],
                       .slot = slot,
                       .id = table.Id(slot)},
                      block, lane);
      });
    }
  }
  return !collected.too_many();
}

}  // namespace

// Reading the arms costs as much as a scan. The d^2/2 multiply-adds of an arm
// cost d/16 times that, because a scan waits for memory.
std::uint64_t PassPrice(std::size_t arms, std::size_t dim) {
  return arms * (1 + (dim + 15) / 16);
}

std::uint64_t CompactPassPrice(std::size_t arms) { return arms / 4; }

std::optional<SurveyPlan> PlanSurvey(const ArmStore& store,
                                     std::span<const MaskedBlock> arms,
                                     Snapshot snapshot,
                                     const SurveyOccasion& occasion) {
  std::vector<SampledArm> sample = Sample(store.blocks(), arms, snapshot);
  // At most twice the query's radius under the new snapshot: under an old
  // snapshot radii grow without limit, and no survey would ever seem to pay.
  const double now = RadiusAmong(sample, snapshot, occasion.query);
  double radius = std::clamp(occasion.radius, now, 2 * now);
  if (radius == 0) radius = 1;
  const auto rounded = static_cast<float>(radius);
  for (SampledArm& arm : sample) arm.bound = arm.centre + rounded * arm.width;

  const auto total = static_cast<double>(sample.size());
  const auto reaching =
      static_cast<double>(std::ranges::count_if(sample, [&](const auto& arm) {
        return arm.bound >= occasion.threshold;
      }));
  const double walk = reaching / total * static_cast<double>(occasion.arms);
  if (2 * walk > occasion.mean_walk) return std::nullopt;

  // Twice as many contenders as this query needs, and some to spare: other
  // queries need more, and copying few contenders is cheap.
  const auto all = static_cast<double>(occasion.arms);
  const double wanted = 2 * reaching / total + occasion.spare;
  const double room = static_cast<double>(occasion.most_contenders) / all;
  const double share = std::min(wanted, room);
  const auto contenders = static_cast<std::size_t>(share * all);
  const auto rank =
      std::min(static_cast<std::size_t>(share * total), sample.size() - 1);
  std::ranges::nth_element(sample,
                           sample.begin() + static_cast<std::ptrdiff_t>(rank),
                           std::greater<>(), &SampledArm::bound);
  const float lowest = sample[rank].bound;
  const bool too_many = wanted > kMostContenders || room < reaching / total;
  SurveyPlan plan{
      .snapshot = std::move(snapshot),
      .radius = rounded,
      // Above the lowest bound, so that many arms with the same bound belong to
      // the rest.
      .cutoff = std::nextafter(lowest, std::numeric_limits<float>::infinity()),
      .contenders = contenders,
      .most_contenders =
          std::min(2 * contenders + kSample * kLanes, occasion.most_contenders),
      .coarse_radius = std::nullopt,
      .price = std::nullopt};
  if (too_many) return plan;
  if (occasion.has_compact_copy) {
    ChooseCoarseRadius(sample, occasion.arms, plan);
  }
  const std::uint64_t pass =
      plan.coarse_radius ? CompactPassPrice(occasion.arms) +
                               plan.survivors * SurvivorPrice(store.dim())
                         : PassPrice(occasion.arms, store.dim());
  plan.price = pass + kContenderPrice * contenders;
  return plan;
}

bool Collect(const ArmStore& store, std::span<const MaskedBlock> arms,
             const SurveyPlan& plan, SurveyLocks locks,
             const std::atomic<bool>& cancelled, Collected& collected) {
  return plan.coarse_radius
             ? ReadCompactCopy(store, plan, locks, cancelled, collected)
             : ReadAllArms(store, arms, locks, cancelled, collected);
}

std::unique_ptr<Order> TakeSurvey(const ArmStore& store,
                                  std::span<const MaskedBlock> arms,
                                  const SurveyPlan& plan, SurveyLocks locks,
                                  const std::atomic<bool>& cancelled) {
  Collected collected(plan, store.dim());
  const bool read = Collect(store, arms, plan, locks, cancelled, collected);
  return read ? collected.MakeOrder() : nullptr;
}

}  // namespace manyarms
