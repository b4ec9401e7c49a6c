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
constexpr float kDead = -1;  // a width that reaches nothing

// From this many blocks on, tightening the snapshot, O(d^3), is cheaper than
// scoring them.
std::size_t LongWalk(std::size_t dim) { return 12 * dim; }

// Rounded so that a bound stays one, and a bar is not set too high.
float Up(double value) { return static_cast<float>(value * (1 + 0x1p-22)); }
float Down(double value) { return static_cast<float>(value * (1 - 0x1p-22)); }

}  // namespace

LazyFormSearch::LazyFormSearch(const ArmStore& store,
                               const Posterior& posterior)
    : store_(store), posterior_(posterior) {}

void LazyFormSearch::Add(std::span<const Slot> slots) {
  for (const Slot slot : slots) arms_.Add(slot);
  if (!snapshot_) return;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::uint32_t block = BlockOf(slots[i]);
    if (i == 0 || block != BlockOf(slots[i - 1])) Renew(block);
  }
}

// A bound too high is still a bound; only a block without arms must go.
void LazyFormSearch::Remove(Slot slot) {
  arms_.Remove(slot);
  const std::uint32_t block = BlockOf(slot);
  if (!snapshot_ || arms_.lanes(block) != 0) return;
  Unit& unit = units_[unit_of_[block]];
  unit.initial = unit.last = kDead;
  unit_of_[block] = kNoUnit;
  // Room for those that come and go.
  if (++dead_ > units_.size() / 2) snapshot_.reset();
}

void LazyFormSearch::Clear() {
  arms_.Clear();
  snapshot_.reset();
}

std::optional<Hit> LazyFormSearch::Best(const Query& query) {
  if (arms_.size() == 0) return std::nullopt;
  if (!IsWellConditioned(*query.factor)) return Scan(query);
  if (!snapshot_) TakeSnapshot();
  const std::uint64_t every = std::max<std::size_t>(1, store_.dim() / 4);
  if (long_walk_ && posterior_.updates() >= tightened_at_ + every) {
    snapshot_->Tighten(query);
    tightened_at_ = posterior_.updates();
  }
  return FindBest(query);
}

Hit LazyFormSearch::Scan(const Query& query) {
  factor_.Pack(query.factor->data(), store_.dim());
  stats_.arms_scored += arms_.size();
  return kernels::BestQuadraticForm(store_.blocks(), arms_.blocks(), factor_);
}

void LazyFormSearch::TakeSnapshot() {
  const auto start = std::chrono::steady_clock::now();
  snapshot_.emplace(Objective::kQuadraticForm, posterior_);
  terms_ = snapshot_->terms();
  terms_.centre_slack = 1;  // without a direction the centre is the length then
  std::vector<Unit> units;
  units.reserve(arms_.blocks().size());
  std::uint32_t last_block = 0;
  for (const MaskedBlock& masked : arms_.blocks()) {
    units.push_back(Measure(masked.block));
    last_block = std::max(last_block, masked.block);
  }
  std::ranges::sort(units, std::greater<>(), &Unit::initial);
  units_.clear();
  groups_.clear();
  unit_of_.assign(last_block + 1, kNoUnit);
  for (const Unit& unit : units) Append(unit);
  dead_ = 0;
  tightened_at_ = posterior_.updates();
  long_walk_ = false;
  ++stats_.snapshots;
  stats_.arms_bounded += arms_.size();
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - start;
  stats_.snapshot_seconds += took.count();
}

LazyFormSearch::Unit LazyFormSearch::Measure(std::uint32_t block) const {
  kernels::BlockBounds bounds;
  kernels::BoundsOf(store_.blocks().Features(block), terms_, bounds);
  Unit unit{.block = block, .length = 0, .initial = 0, .last = 0};
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    unit.length = std::max(unit.length, bounds.centre[lane]);
    unit.initial = std::max(unit.initial, bounds.width[lane]);
  }
  unit.last = unit.initial;
  return unit;
}

void LazyFormSearch::Append(const Unit& unit) {
  if (units_.size() % kGroup == 0) groups_.emplace_back();
  if (unit.block >= unit_of_.size()) unit_of_.resize(unit.block + 1, kNoUnit);
  unit_of_[unit.block] = static_cast<std::uint32_t>(units_.size());
  units_.push_back(unit);
  Group& group = groups_.back();
  group.initial = std::max(group.initial, unit.initial);
  group.last = std::max(group.last, unit.last);
}

// A block with a new arm.
void LazyFormSearch::Renew(std::uint32_t block) {
  const Unit unit = Measure(block);
  if (block >= unit_of_.size() || unit_of_[block] == kNoUnit) {
    Append(unit);
    return;
  }
  const std::uint32_t index = unit_of_[block];
  units_[index] = unit;
  Group& group = groups_[index / kGroup];
  group.initial = std::max(group.initial, unit.initial);
  group.last = std::max(group.last, unit.last);
}

Hit LazyFormSearch::FindBest(const Query& query) {
  factor_.Pack(query.factor->data(), store_.dim());
  radius_ = query.radius;
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
  long_walk_ = scored > LongWalk(store_.dim());
  return best_;
}

// Asked the other way round, so that what is not a number reaches.
template <class Bounds>
bool LazyFormSearch::Reaches(const Bounds& bounds) const {
  return !(bounds.last < last_bar_) && !(bounds.initial < initial_bar_);
}

std::size_t LazyFormSearch::ScoreBatch() {
  std::array<MaskedBlock, kBatch> blocks;
  std::array<Hit, kBatch> hits;
  const std::size_t count = batch_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t block = batch_[i]->block;
    blocks[i] = {block, arms_.lanes(block)};
    stats_.arms_scored +=
        static_cast<std::uint64_t>(std::popcount(blocks[i].lanes));
  }
  kernels::BestQuadraticFormOfEach(store_.blocks(),
                                   std::span(blocks).first(count), factor_,
                                   std::span(hits).first(count));
  for (std::size_t i = 0; i < count; ++i) {
    best_ = Better(store_, best_, hits[i]);
    if (radius_ == 0) continue;
    Unit& unit = *batch_[i];
    const double width =
        (std::sqrt(static_cast<double>(hits[i].score)) + terms_.tiny) / radius_;
    unit.last = std::min(unit.last, Up(width * terms_.width_scale +
                                       terms_.width_slack * unit.length));
  }
  if (count > 0) {
    const double height =
        std::sqrt(static_cast<double>(best_.score)) - terms_.tiny;
    last_bar_ = Down(height / radius_);
    initial_bar_ = Down(height / initial_radius_);
  }
  batch_.clear();
  return count;
}

// Nobody asks for more than one of a stage's arms often enough to keep bounds
// for it.
std::vector<Hit> LazyFormSearch::Top(const Query& query,
                                     const TopRequest& request) {
  ScannedTop top = TopByScan(Scorer(Objective::kQuadraticForm, query), store_,
                             arms_, request);
  stats_.arms_scored += top.arms;
  return std::move(top.hits);
}

}  // namespace manyarms
