#include "search/certified/lazy_form.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <functional>

#include "search/scorer.h"
#include "search/top_by_scan.h"

namespace manyarms {
namespace {

constexpr std::uint32_t kNoUnit = ~std::uint32_t{0};
constexpr float kDead = -1;  // a width below every threshold

// Tightening the snapshot costs O(d^3), which is less than scoring this number
// of blocks.
std::size_t LongWalk(std::size_t dim) { return 12 * dim; }

// Bounds are rounded up and thresholds are rounded down, so that no arm is
// passed over because of rounding.
float Up(double value) { return static_cast<float>(value * (1 + 0x1p-22)); }
float Down(double value) { return static_cast<float>(value * (1 - 0x1p-22)); }

}  // namespace

std::optional<Hit> LazyFormFinder::Best(const Query& query) {
  if (arms().size() == 0) return std::nullopt;
  if (!IsWellConditioned(*query.factor)) return Scan(query);
  const Belief& belief = *query.belief;
  CatchUp(belief);
  if (!snapshot_) TakeSnapshot(query);
  const std::uint64_t every = std::max<std::size_t>(1, store().dim() / 4);
  if (long_walk_ && belief.version() >= tightened_at_ + every) {
    snapshot_->Tighten(query);
    tightened_at_ = belief.version();
  }
  return FindBest(query);
}

// Bounds stay valid only while widths do not grow. If widths may have grown, or
// if most arms have changed, all bounds are computed again.
void LazyFormFinder::CatchUp(const Belief& belief) {
  const Members& members = index_.members();
  if (!snapshot_ || belief.WidthGrowthSince(taken_at_) > 1) {
    snapshot_.reset();
    return;
  }
  if (members.LogReaches(seen_)) {
    CatchUpByLog();
  } else {
    const std::vector<std::uint32_t> changed = members.ChangedBlocks(seen_);
    if (changed.size() > units_.size() / 2) {
      snapshot_.reset();
      return;
    }
    for (const std::uint32_t block : changed) Renew(block);
  }
  seen_ = members.epoch();
  // This bounds the memory for units without arms.
  if (dead_ > units_.size() / 2) snapshot_.reset();
}

// A bound that is too high is still a bound, so a removal matters only if no
// arm is left in the block.
void LazyFormFinder::CatchUpByLog() {
  std::uint32_t renewed = kNoUnit;
  for (const auto& [slot, added] : index_.members().Changes(seen_)) {
    const std::uint32_t block = BlockOf(slot);
    const bool matters = added || arms().lanes(block) == 0;
    if (matters && block != renewed) {
      Renew(block);
      renewed = block;
    }
  }
}

Hit LazyFormFinder::Scan(const Query& query) {
  factor_.Pack(query.factor->data(), store().dim(), query.exploration);
  stats_.arms_scored += arms().size();
  return kernels::BestQuadraticForm(store().blocks(), arms().blocks(), factor_);
}

void LazyFormFinder::TakeSnapshot(const Query& query) {
  const Belief& belief = *query.belief;
  const auto start = std::chrono::steady_clock::now();
  snapshot_.emplace(Objective::kQuadraticForm, belief, *query.factor);
  terms_ = snapshot_->terms();
  std::vector<Unit> units;
  units.reserve(arms().blocks().size());
  std::uint32_t last_block = 0;
  for (const MaskedBlock& masked : arms().blocks()) {
    units.push_back(Measure(masked.block));
    last_block = std::max(last_block, masked.block);
  }
  std::ranges::sort(units, std::greater<>(), &Unit::initial);
  units_.clear();
  groups_.clear();
  unit_of_.assign(last_block + 1, kNoUnit);
  for (const Unit& unit : units) Append(unit);
  dead_ = 0;
  seen_ = index_.members().epoch();
  taken_at_ = tightened_at_ = belief.version();
  long_walk_ = false;
  ++stats_.snapshots;
  stats_.arms_bounded += arms().size();
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - start;
  stats_.snapshot_seconds += took.count();
}

LazyFormFinder::Unit LazyFormFinder::Measure(std::uint32_t block) const {
  kernels::BlockLengths bounds;
  kernels::LengthsAndWidths(store().blocks().Features(block), terms_, bounds);
  Unit unit{.block = block, .length = 0, .initial = 0, .last = 0};
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    unit.length = std::max(unit.length, bounds.length[lane]);
    unit.initial = std::max(unit.initial, bounds.width[lane]);
  }
  unit.last = unit.initial;
  return unit;
}

void LazyFormFinder::Append(const Unit& unit) {
  if (units_.size() % kGroup == 0) groups_.emplace_back();
  if (unit.block >= unit_of_.size()) unit_of_.resize(unit.block + 1, kNoUnit);
  unit_of_[unit.block] = static_cast<std::uint32_t>(units_.size());
  units_.push_back(unit);
  Group& group = groups_.back();
  group.initial = std::max(group.initial, unit.initial);
  group.last = std::max(group.last, unit.last);
}

// Computes the bounds of a block whose arms have changed. A block without arms
// gets a width below every threshold.
void LazyFormFinder::Renew(std::uint32_t block) {
  const bool known = block < unit_of_.size() && unit_of_[block] != kNoUnit;
  const bool empty = arms().lanes(block) == 0;
  if (!known) {
    if (!empty) Append(Measure(block));
    return;
  }
  const std::uint32_t index = unit_of_[block];
  Unit& unit = units_[index];
  if (empty) {
    unit.initial = unit.last = kDead;
    unit_of_[block] = kNoUnit;
    ++dead_;
    return;
  }
  unit = Measure(block);
  Group& group = groups_[index / kGroup];
  group.initial = std::max(group.initial, unit.initial);
  group.last = std::max(group.last, unit.last);
}

Hit LazyFormFinder::FindBest(const Query& query) {
  factor_.Pack(query.factor->data(), store().dim(), query.exploration);
  exploration_ = query.exploration;
  initial_radius_ = snapshot_->Radius(query);
  best_ = {};
  last_bar_ = 0;
  initial_bar_ = 0;
  std::size_t scored = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (!Reaches(groups_[g])) continue;
    const auto units = std::span(units_).subspan(
        g * kGroup, std::min(kGroup, units_.size() - g * kGroup));
    batch_.clear();
    for (Unit& unit : units) {
      if (Reaches(unit)) batch_.push_back(&unit);
      if (batch_.size() == kBatch) scored += ScoreBatch();
    }
    scored += ScoreBatch();
    groups_[g].last = 0;
    for (const Unit& unit : units) {
      groups_[g].last = std::max(groups_[g].last, unit.last);
    }
  }
  long_walk_ = scored > LongWalk(store().dim());
  return best_;
}

// Not written as >=, so that NaN counts as reached.
template <class Bounds>
bool LazyFormFinder::Reaches(const Bounds& bounds) const {
  return !(bounds.last < last_bar_) && !(bounds.initial < initial_bar_);
}

std::size_t LazyFormFinder::ScoreBatch() {
  std::array<MaskedBlock, kBatch> blocks;
  std::array<Hit, kBatch> hits;
  const std::size_t count = batch_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t block = batch_[i]->block;
    blocks[i] = {block, arms().lanes(block)};
    stats_.arms_scored +=
        static_cast<std::uint64_t>(std::popcount(blocks[i].lanes));
  }
  kernels::BestQuadraticFormOfEach(store().blocks(),
                                   std::span(blocks).first(count), factor_,
                                   std::span(hits).first(count));
  for (std::size_t i = 0; i < count; ++i) {
    best_ = Better(store(), best_, hits[i]);
    if (exploration_ == 0) continue;
    Unit& unit = *batch_[i];
    const double width =
        (std::sqrt(static_cast<double>(hits[i].score)) + terms_.tiny) /
        exploration_;
    unit.last = std::min(unit.last, Up(width * terms_.width_scale +
                                       terms_.width_slack * unit.length));
  }
  if (count > 0) {
    const double height =
        std::sqrt(static_cast<double>(best_.score)) - terms_.tiny;
    last_bar_ = Down(height / exploration_);
    initial_bar_ = Down(height / initial_radius_);
  }
  batch_.clear();
  return count;
}

// No policy asks for the top k of a quadratic form often enough to keep bounds
// for it.
std::vector<Hit> LazyFormFinder::Top(const Query& query,
                                     const TopRequest& request) {
  ScannedTop top = TopByScan(Scorer(Objective::kQuadraticForm, query), store(),
                             arms(), request);
  stats_.arms_scored += top.arms;
  return std::move(top.hits);
}

std::size_t LazyFormFinder::memory_bytes() const {
  return sizeof(*this) + factor_.memory_bytes() +
         (snapshot_ ? snapshot_->memory_bytes() : 0) +
         units_.capacity() * sizeof(Unit) + groups_.capacity() * sizeof(Group) +
         unit_of_.capacity() * sizeof(std::uint32_t);
}

}  // namespace manyarms
