#include "search/certified/survey.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace manyarms {
namespace {

using kernels::BlockBounds;

// The number of blocks in the sample.
constexpr std::size_t kSample = 256;

// The most blocks that are read under one lock. With many features fewer are,
// so that Add waits for some ten microseconds at most, or for two blocks if
// they take longer.
constexpr std::size_t kBatch = 64;
std::size_t BatchFor(std::size_t dim) {
  return std::clamp<std::size_t>(16384 / (dim * dim), 2, kBatch);
}

// Ceilings are computed at these multiples of the radius.
constexpr kernels::Radii kMultiples = {0, 0.5F, 0.75F, 1, 1.25F, 1.5F, 2, 3};

// What it costs to make an arm a contender, in arms scored by a scan. Most of
// it is for new memory. Measured with 16 features and a million arms.
constexpr std::uint64_t kContenderPrice = 30;

// The part of all arms that may be contenders. It bounds their memory.
constexpr double kMostContenders = 1.0 / 4;

// The upper bounds at the radius of a sample of the arms, in decreasing order.
std::vector<float> SampleBounds(const BlockTable& table,
                                std::span<const MaskedBlock> arms,
                                const Snapshot& snapshot, float radius) {
  const kernels::BoundTerms terms = snapshot.terms();
  const std::size_t blocks = std::min(kSample, arms.size());
  std::vector<float> sample;
  BlockBounds bounds;
  for (std::size_t i = 0; i < blocks; ++i) {
    const MaskedBlock& masked = arms[i * arms.size() / blocks];
    kernels::BoundsOf(table.Features(masked.block), terms, bounds);
    ForEachLane(masked.lanes, [&](std::uint32_t lane) {
      sample.push_back(bounds.centre[lane] + radius * bounds.width[lane]);
    });
  }
  std::ranges::sort(sample, std::greater<>());
  return sample;
}

}  // namespace

// Reading the arms costs as much as a scan. The d^2/2 multiply-adds of an arm
// cost d/16 times that, because a scan waits for memory.
std::uint64_t PassPrice(std::size_t arms, std::size_t dim) {
  return arms * (1 + (dim + 15) / 16);
}

std::optional<SurveyPlan> PlanSurvey(const ArmStore& store,
                                     std::span<const MaskedBlock> arms,
                                     Snapshot snapshot,
                                     const SurveyOccasion& occasion) {
  // At most twice the query's radius under the new snapshot: under an old
  // snapshot radii grow without limit, and no survey would ever seem to pay.
  const double now = snapshot.Radius(occasion.query);
  double radius = std::clamp(occasion.radius, now, 2 * now);
  if (radius == 0) radius = 1;
  const auto rounded = static_cast<float>(radius);
  const std::vector<float> sample =
      SampleBounds(store.blocks(), arms, snapshot, rounded);

  const auto total = static_cast<double>(sample.size());
  const auto reaching = static_cast<double>(
      std::ranges::lower_bound(sample, occasion.threshold, std::greater<>()) -
      sample.begin());
  const double walk = reaching / total * static_cast<double>(occasion.arms);
  if (2 * walk > occasion.mean_walk) return std::nullopt;

  // Twice as many contenders as this query needs, and some to spare: other
  // queries need more, and copying few contenders is cheap.
  const auto all = static_cast<double>(occasion.arms);
  const double wanted = 2 * reaching / total + occasion.spare;
  const double room = static_cast<double>(occasion.most_contenders) / all;
  const double share = std::min(wanted, room);
  const auto contenders = static_cast<std::size_t>(share * all);
  const auto rank = static_cast<std::size_t>(share * total);
  const float lowest = sample[std::min(rank, sample.size() - 1)];
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
      .price = std::nullopt};
  if (!too_many) {
    plan.price =
        PassPrice(occasion.arms, store.dim()) + kContenderPrice * contenders;
  }
  return plan;
}

std::unique_ptr<Order> TakeSurvey(const ArmStore& store,
                                  std::span<const MaskedBlock> arms,
                                  const SurveyPlan& plan, SurveyLocks locks,
                                  const std::atomic<bool>& cancelled) {
  kernels::SurveyTerms terms{.bounds = plan.snapshot.terms(),
                             .radius = plan.radius,
                             .cutoff = plan.cutoff};
  for (std::size_t r = 0; r < kernels::kRadii; ++r) {
    terms.radii[r] = kMultiples[r] * plan.radius;
  }
  const std::size_t dim = store.dim();
  std::vector<Contender, LargeAllocator<Contender>> contenders;
  std::vector<float, LargeAllocator<float>> features;
  contenders.reserve(std::min(plan.contenders * 5 / 4, plan.most_contenders));
  features.reserve(contenders.capacity() * dim);
  kernels::Ceiling rest = kernels::kNoCeiling;
  std::array<BlockBounds, kBatch> bounds;
  std::array<std::uint32_t, kBatch> reaching;
  const std::size_t step = BatchFor(dim);
  for (std::size_t first = 0; first < arms.size(); first += step) {
    if (cancelled || contenders.size() > plan.most_contenders) return nullptr;
    const auto batch = arms.subspan(first, std::min(step, arms.size() - first));
    std::shared_lock<SharedMutex> lock;
    if (locks == SurveyLocks::kBySurvey) lock = store.ReadLock();
    const BlockTable table = store.blocks();
    kernels::Survey(table, batch, terms, std::span(bounds).first(batch.size()),
                    std::span(reaching).first(batch.size()), rest);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const float* block = table.Features(batch[i].block);
      ForEachLane(reaching[i], [&](std::uint32_t lane) {
        const Slot slot = batch[i].block * kLanes + lane;
        contenders.push_back({.centre = bounds[i].centre[lane],
                              .width = bounds[i].width[lane],
                              .slot = slot,
                              .id = table.Id(slot)});
        const std::size_t end = features.size();
        features.resize(end + dim);
        for (std::size_t j = 0; j < dim; ++j) {
          features[end + j] = block[j * kLanes + lane];
        }
      });
    }
  }
  if (contenders.size() > plan.most_contenders) return nullptr;
  return std::make_unique<Order>(plan.snapshot, terms.radii, plan.radius,
                                 contenders, features, rest);
}

}  // namespace manyarms
