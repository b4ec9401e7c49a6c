#include "search/certified/order.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace manyarms {
namespace {

using kernels::Ceiling;
using kernels::Radii;

// Features are prefetched this number of contenders ahead.
constexpr std::size_t kAhead = 16;

// Indices of the contenders by decreasing bound, in O(n). They are sorted into
// buckets, which is enough: at the top, where the order matters, bounds are
// sparse.
std::vector<std::uint32_t> ByFallingBound(std::span<const Contender> contenders,
                                          float radius) {
  std::vector<float> bounds(contenders.size());
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    bounds[i] = contenders[i].centre + radius * contenders[i].width;
  }
  const auto [lowest, highest] = std::ranges::minmax(bounds);
  const std::size_t buckets = contenders.size() + 1;
  const double per_height = highest > lowest
                                ? static_cast<double>(buckets - 1) /
                                      (static_cast<double>(highest) - lowest)
                                : 0;
  const auto bucket = [&, top = highest](float bound) {
    return static_cast<std::size_t>((static_cast<double>(top) - bound) *
                                    per_height);
  };
  std::vector<std::uint32_t> next(buckets + 1);
  for (const float bound : bounds) ++next[bucket(bound) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::uint32_t> order(contenders.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    order[next[bucket(bounds[i])]++] = i;
  }
  return order;
}

}  // namespace

Order::Order(Snapshot snapshot, const Radii& radii, float radius,
             std::span<const Contender> contenders,
             std::span<const float> features, const Ceiling& rest)
    : snapshot_(std::move(snapshot)), radii_(radii) {
  const std::vector<std::uint32_t> order =
      contenders.empty() ? std::vector<std::uint32_t>()
                         : ByFallingBound(contenders, radius);
  LayOut(order, contenders, features);
  RaiseCeilings(order, contenders, rest);
}

void Order::LayOut(std::span<const std::uint32_t> order,
                   std::span<const Contender> contenders,
                   std::span<const float> features) {
  const std::size_t dim = snapshot_.dim();
  const std::size_t blocks = (order.size() + kLanes - 1) / kLanes;
  features_ = MakeLargeBuffer<float>(blocks * kLanes * dim);
  feature_chunk_ = features_.get();
  blocks_.reserve(blocks);
  ids_.resize(order.size());
  slots_.resize(order.size());
  places_.resize(order.size());
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t first = b * kLanes;
    const std::size_t arms =
        std::min<std::size_t>(kLanes, order.size() - first);
    float* block = features_.get() + first * dim;
    if (arms < kLanes) std::fill_n(block, kLanes * dim, 0.0F);
    for (std::size_t lane = 0; lane < arms; ++lane) {
      const std::uint32_t contender = order[first + lane];
      if (first + lane + kAhead < order.size()) {
        const std::uint32_t next = order[first + lane + kAhead];
        __builtin_prefetch(&features[next * dim]);
        __builtin_prefetch(&contenders[next]);
      }
      const float* row = &features[contender * dim];
      for (std::size_t j = 0; j < dim; ++j) block[j * kLanes + lane] = row[j];
      ids_[first + lane] = contenders[contender].id;
      slots_[first + lane] = contenders[contender].slot;
      places_[contender] = {contenders[contender].slot,
                            static_cast<std::uint32_t>(first + lane)};
    }
    blocks_.push_back(
        {.block = static_cast<std::uint32_t>(b), .lanes = (1U << arms) - 1});
  }
  if (!std::ranges::is_sorted(places_, {}, &Place::slot)) {
    std::ranges::sort(places_, {}, &Place::slot);
  }
  id_chunk_ = ids_.data();
  // A single chunk holds all blocks.
  table_ = {&feature_chunk_, &id_chunk_, 31, dim};
}

void Order::RaiseCeilings(std::span<const std::uint32_t> order,
                          std::span<const Contender> contenders,
                          const Ceiling& rest) {
  ceilings_.assign(blocks_.size() + 1, rest);
  for (std::size_t b = blocks_.size(); b-- > 0;) {
    ceilings_[b] = ceilings_[b + 1];
    const std::size_t end = std::min(order.size(), (b + 1) * kLanes);
    for (std::size_t i = b * kLanes; i < end; ++i) {
      const Contender& contender = contenders[order[i]];
      Raise(ceilings_[b], CeilingOf(radii_, contender.centre, contender.width));
    }
  }
}

template <class ReachedBy, class Score>
Order::Walk Order::WalkDown(const Query& query, const ReachedBy& reached_by,
                            const Score& score) const {
  const double radius = snapshot_.Radius(query);
  const double curvature = snapshot_.Curvature(query);
  const auto reaches = [&](std::size_t i) {
    return reached_by(HeightAt(radii_, ceilings_[i], radius, curvature));
  };
  Walk walk;
  const std::size_t end = blocks_.size();
  for (std::size_t at = 0; at < end && reaches(at);) {
    if (at > 0 && at >= end / 8 && reaches(end)) break;
    // Ceilings are compared each time that the walk has grown by a quarter, so
    // less than a quarter of it is scored beyond the point where it could end.
    const std::size_t length =
        std::min(std::max<std::size_t>(2, at / 4), end - at);
    score(at, length, walk);
    at += length;
  }
  walk.certain = !reaches(end);
  return walk;
}

Order::Walk Order::FindBest(const Scorer& scorer, const Query& query,
                            const ArmStore& store, Hit& best) const {
  return WalkDown(
      query,
      // Not written as >=, so that NaN counts as reached.
      [&](double ceiling) {
        return best.slot == kNoSlot || !(ceiling < best.score);
      },
      [&](std::size_t first, std::size_t length, Walk& walk) {
        const auto blocks = std::span(blocks_).subspan(first, length);
        walk.Count(blocks);
        Hit hit = scorer.Best(table_, blocks, best.score);
        if (hit.slot != kNoSlot) {
          hit.slot = slots_[hit.slot];
          best = Better(store, best, hit);
        }
      });
}

Order::Walk Order::FindTop(const Scorer& scorer, const Query& query,
                           const ArmSet* among, kernels::TopHits& top) const {
  return WalkDown(
      query,
      [&](double ceiling) { return !top.full() || !(ceiling < top.bar()); },
      [&](std::size_t first, std::size_t length, Walk& walk) {
        std::span<const MaskedBlock> blocks =
            std::span(blocks_).subspan(first, length);
        std::vector<MaskedBlock> some;
        if (among != nullptr) {
          some = Among(*among, first, length);
          blocks = some;
        }
        walk.Count(blocks);
        kernels::TopHits found(top.count(), top.bar());
        scorer.Top(table_, blocks, found);
        for (const auto& [hit, id] : found.entries()) {
          top.Offer({slots_[hit.slot], hit.score}, id);
        }
      });
}

std::vector<MaskedBlock> Order::Among(const ArmSet& arms, std::size_t first,
                                      std::size_t length) const {
  std::vector<MaskedBlock> some;
  some.reserve(length);
  for (const MaskedBlock& masked : std::span(blocks_).subspan(first, length)) {
    std::uint32_t lanes = 0;
    ForEachLane(masked.lanes, [&](std::uint32_t lane) {
      if (arms.Contains(slots_[masked.block * kLanes + lane])) {
        lanes |= 1U << lane;
      }
    });
    if (lanes != 0) some.push_back({masked.block, lanes});
  }
  return some;
}

void Order::Remove(const MaskedBlock& masked) {
  auto found = std::ranges::lower_bound(places_, masked.block * kLanes, {},
                                        &Place::slot);
  for (; found != places_.end() && BlockOf(found->slot) == masked.block;
       ++found) {
    if ((masked.lanes >> LaneOf(found->slot) & 1U) == 0) continue;
    blocks_[found->place / kLanes].lanes &= ~(1U << found->place % kLanes);
  }
}

std::size_t Order::BytesPerContender(std::size_t dim) {
  return dim * sizeof(float) + sizeof(ArmId) + sizeof(Slot) + sizeof(Place) +
         (sizeof(MaskedBlock) + sizeof(Ceiling)) / kLanes + 1;
}

std::size_t Order::memory_bytes() const {
  return sizeof(*this) + snapshot_.memory_bytes() +
         LargeAllocator<float>::Bytes(blocks_.size() * kLanes *
                                      snapshot_.dim()) +
         ids_.capacity() * sizeof(ArmId) + slots_.capacity() * sizeof(Slot) +
         blocks_.capacity() * sizeof(MaskedBlock) +
         ceilings_.capacity() * sizeof(Ceiling) +
         places_.capacity() * sizeof(Place);
}

bool Order::IsBelowRest(float centre, float width) const {
  return IsBelow(radii_, ceilings_.back(), centre, width);
}

}  // namespace manyarms
