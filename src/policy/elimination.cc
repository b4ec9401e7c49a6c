#include "policy/elimination.h"

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "kernels/arm_set.h"
#include "kernels/top_hits.h"
#include "manyarms/error.h"
#include "manyarms/random.h"
#include "policy/elimination_kind.h"
#include "policy/exploration.h"

namespace manyarms {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::uint8_t kEliminated = 0xff;

// Line 4: s_max = ceil(log2(1 / (8 eta))), but at least 1, because with stage 0
// alone every choice would be random.
std::size_t LastStage(double accuracy) {
  return static_cast<std::size_t>(
      std::max(1.0, std::ceil(std::log2(1 / (8 * accuracy)))));
}

float StageWidth(std::size_t stage) {
  return std::ldexp(1.0F, -static_cast<int>(stage));
}

}  // namespace

Elimination::Elimination(const EliminationOptions& options,
                         const SearchOptions& search, const PolicyParts& parts,
                         std::uint64_t seed)
    : store_(parts.store),
      seed_(seed),
      accuracy_(options.accuracy),
      posterior_(parts.posterior),
      // Line 3: beta(delta / 2).
      confidence_(store_, parts.posterior,
                  ExplorationValue(options.exploration, posterior_,
                                   [](const TheoryRadius& theory) {
                                     return theory.delta / 2;
                                   })),
      eliminated_(places_) {
  const std::size_t last = LastStage(accuracy_);
  for (std::size_t s = 0; s <= last; ++s) {
    widths_.push_back(StageWidth(s));
    SearchTask task = Objective::kQuadraticForm;
    task.sought = {.score = SoughtSquare(s),
                   .slack = StageWidth(2 * s + 2) * accuracy_ * accuracy_,
                   .failure_share = 1 / (2 * static_cast<double>(last))};
    stages_.emplace_back(MakeIndex(search, task, store_, Scope::kOwnSet, seed),
                         places_);
  }
}

// Lines 8 and 21: floor(-log2(uncertainty)), kept within the stages.
std::size_t Elimination::StageOf(float uncertainty) const {
  if (!(uncertainty < 1)) return 0;  // NaN, too
  if (uncertainty <= widths_.back()) return last_stage();
  int exponent = 0;
  const float mantissa = std::frexp(uncertainty, &exponent);  // in [1/2, 1)
  return static_cast<std::size_t>(mantissa == 0.5F ? 1 - exponent : -exponent);
}

// Algorithm 2, line 3: r = 2^(-2s-2) (1 - eta^2), without the scaling that the
// paper's solver needs.
double Elimination::SoughtSquare(std::size_t stage) const {
  const double next_width = StageWidth(stage + 1);
  return next_width * next_width * (1 - accuracy_ * accuracy_);
}

std::vector<ArmBounds> Elimination::Bounds(std::vector<Slot> slots) {
  bounds_computed_ += slots.size();
  return confidence_.Bounds(std::move(slots));
}

std::size_t Elimination::FirstStageWithArms() const {
  const auto found =
      std::ranges::find_if(stages_, [](const auto& s) { return !s.empty(); });
  return static_cast<std::size_t>(found - stages_.begin());
}

// Lines 7 to 12.
void Elimination::Add(std::span<const Slot> slots) {
  Admit({slots.begin(), slots.end()});
}

// Puts arms that are in no stage into the stage that the posterior gives them:
// lines 8 to 12 for new arms, lines 20 to 24 for those of a stage that is used
// up. The threshold rises first, so that arms below it are not put into a
// search and then removed again.
void Elimination::Admit(std::vector<Slot> slots) {
  if (slots.empty()) return;
  const std::vector<ArmBounds> bounds = Bounds(std::move(slots));
  RaiseThreshold(bounds);

  std::vector<std::vector<Entry>> placed(stages_.size());
  std::vector<Entry> below;
  below.reserve(bounds.size());
  stage_of_.resize(
      std::max<std::size_t>(stage_of_.size(), bounds.back().slot + 1));
  for (const ArmBounds& arm : bounds) {
    const std::size_t s = StageOf(arm.uncertainty);
    // If the interval is wider than the stage, its upper bound lies above mean
    // + width. Such an arm is not eliminated before it is placed again.
    const float width = widths_[s];
    const float key = arm.uncertainty <= width ? arm.mean + width : kInfinity;
    stage_of_[arm.slot] = static_cast<std::uint8_t>(s);
    (key < threshold_ ? below : placed[s]).push_back({key, arm.slot});
  }
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    if (!placed[s].empty()) stages_[s].Add(placed[s]);
  }
  SetAside(below);
}

// Lines 9 to 11 and 20 to 23: the threshold becomes the largest lower bound
// seen, and arms below it are eliminated from every stage.
void Elimination::RaiseThreshold(std::span<const ArmBounds> candidates) {
  const auto best = std::ranges::max_element(candidates, {}, &ArmBounds::lower);
  if (best->lower() <= threshold_) return;
  threshold_ = best->lower();
  carrier_ = best->slot;
  for (HeapAugmentedArmSet& stage : stages_) {
    SetAside(stage.Eliminate(threshold_));
  }
}

// When the arm that sets the threshold is removed, the threshold becomes the
// largest lower bound among the arms that remain, and eliminated arms whose
// upper bound reaches it are placed again.
void Elimination::LowerThreshold() {
  threshold_ = -kInfinity;
  carrier_ = kNoSlot;
  std::vector<Slot> left;
  for (const HeapAugmentedArmSet& stage : stages_) {
    for (const Entry& arm : stage.arms()) left.push_back(arm.slot);
  }
  if (!left.empty()) RaiseThreshold(Bounds(std::move(left)));

  std::vector<Slot> back;
  while (!eliminated_.empty() && eliminated_.top().key >= threshold_) {
    back.push_back(eliminated_.top().slot);
    eliminated_.Remove(back.back());
  }
  Admit(std::move(back));
}

void Elimination::SetAside(std::span<const Entry> arms) {
  for (const Entry& arm : arms) stage_of_[arm.slot] = kEliminated;
  eliminated_.PushAll(arms);
  eliminations_ += arms.size();
}

void Elimination::Remove(Slot slot) {
  if (stage_of_[slot] == kEliminated) {
    eliminated_.Remove(slot);
  } else {
    stages_[stage_of_[slot]].Remove(slot);
  }
  if (slot == carrier_) LowerThreshold();
}

Hit Elimination::Choose(Context /*context*/) {
  const Hit hit = NextHit();
  ++choices_;  // only now: the search may have thrown
  return hit;
}

// Lines 14 to 28.
Hit Elimination::NextHit() {
  for (;;) {
    const std::size_t s = FirstStageWithArms();
    if (s == stages_.size()) {
      // The intervals were wrong and all arms were eliminated: all of them
      // start again, in the stages that the posterior gives them now.
      ++recoveries_;
      LowerThreshold();
      continue;
    }
    if (s == last_stage()) return RandomArm(stages_[s]);
    const std::optional<Hit> found =
        stages_[s].Query({.belief = &posterior_,
                          .factor = &confidence_.Factor(),
                          .exploration = confidence_.exploration()});
    if (found) return {found->slot, std::sqrt(found->score)};
    if (const std::optional<Hit> missed = Advance(s)) return *missed;
  }
}

// Lines 20 to 24: no arm of the stage is uncertain enough, so all of them are
// placed again. An arm that stays was missed by an approximate search; the most
// uncertain of these is returned, to be played.
std::optional<Hit> Elimination::Advance(std::size_t stage) {
  Admit(stages_[stage].Drain());
  const HeapAugmentedArmSet& remaining = stages_[stage];
  if (remaining.empty()) return std::nullopt;

  std::vector<Slot> slots;
  for (const Entry& arm : remaining.arms()) slots.push_back(arm.slot);
  const std::vector<ArmBounds> bounds = Bounds(std::move(slots));
  const auto widest =
      std::ranges::max_element(bounds, {}, &ArmBounds::uncertainty);
  return Hit{widest->slot, widest->uncertainty};
}

// Line 16.
Hit Elimination::RandomArm(const HeapAugmentedArmSet& stage) {
  RandomStream random(seed_, RandomStream::Role::kPick, choices_ + 1);
  const Entry& arm = stage.arms()[random.Below(stage.arms().size())];
  return {arm.slot, confidence_.Uncertainty(arm.slot)};
}

std::vector<Slot> Elimination::AllArms() const {
  std::vector<Slot> slots;
  for (const HeapAugmentedArmSet& stage : stages_) {
    for (const Entry& arm : stage.arms()) slots.push_back(arm.slot);
  }
  for (const Entry& arm : eliminated_) slots.push_back(arm.slot);
  return slots;
}

std::vector<Hit> Elimination::ChooseTop(const TopRequest& request,
                                        Context /*context*/) {
  const std::vector<ArmBounds> bounds =
      Bounds(request.among != nullptr ? request.among->Slots() : AllArms());
  const float threshold =
      std::ranges::max_element(bounds, {}, &ArmBounds::lower)->lower();
  kernels::TopHits top(request.count);
  for (const ArmBounds& arm : bounds) {
    if (arm.upper() < threshold) continue;
    top.Offer({arm.slot, arm.uncertainty}, store_.id(arm.slot));
  }
  return top.Sorted();
}

void Elimination::TakeBack(std::uint64_t /*choices*/) {
  throw Error(ErrorCode::kUnsupported,
              "elim cannot take a choice back, for which it has moved arms "
              "between its stages");
}

Wins Elimination::CountWins(const Redraws& /*redraws*/,
                            std::span<const Slot> /*arms*/) {
  throw Error(ErrorCode::kUnsupported,
              "elim cannot say with which probability it chooses: to find its "
              "choice it moves arms between its stages and eliminates some, "
              "and it would choose by other stages afterwards; use ts or ucb");
}

// Which arm is picked at random depends on where it lies in its heap, so heaps
// are saved as they are.
void Elimination::Save(ByteWriter& writer) const {
  writer.Transfer(choices_);
  writer.Transfer(threshold_);
  writer.Transfer(carrier_);
  const auto save_heap = [&](const auto& heap) {
    writer.Transfer(std::uint64_t{heap.size()});
    for (const Entry& arm : heap) {
      writer.Transfer(arm.key);
      writer.Transfer(arm.slot);
    }
  };
  for (const HeapAugmentedArmSet& stage : stages_) save_heap(stage.arms());
  save_heap(eliminated_);
}

void Elimination::Restore(ByteReader& reader, std::span<const Slot> slots) {
  reader.Transfer(choices_);
  reader.Transfer(threshold_);
  reader.Transfer(carrier_);
  const Slot end = slots.empty() ? 0 : std::ranges::max(slots) + 1;
  std::vector<bool> expected(end);
  for (const Slot slot : slots) expected[slot] = true;
  std::size_t seen = 0;
  stage_of_.resize(end);
  const auto load_heap = [&](std::uint8_t stage) {
    std::vector<Entry> heap(reader.Count(sizeof(float) + sizeof(Slot)));
    for (Entry& arm : heap) {
      reader.Transfer(arm.key);
      reader.Transfer(arm.slot);
      CheckSaved(!std::isnan(arm.key) && arm.slot < end && expected[arm.slot],
                 "its stages are mixed up");
      expected[arm.slot] = false;
      stage_of_[arm.slot] = stage;
      ++seen;
    }
    return heap;
  };
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    const std::vector<Entry> heap = load_heap(static_cast<std::uint8_t>(s));
    if (!heap.empty()) stages_[s].Add(heap);
  }
  eliminated_.PushAll(load_heap(kEliminated));
  CheckSaved(
      seen == slots.size() && !std::isnan(threshold_) &&
          (carrier_ == kNoSlot || std::ranges::binary_search(slots, carrier_)),
      "its stages are mixed up");
}

PolicyStats Elimination::stats() const {
  PolicyStats stats;
  stats.arms_scored = bounds_computed_;
  stats.eliminations = eliminations_;
  stats.recoveries = recoveries_;
  for (const HeapAugmentedArmSet& stage : stages_) stats += stage.stats();
  return stats;
}

std::unique_ptr<Policy> PolicyKind<EliminationOptions>::Make(
    const EliminationOptions& options, const SearchOptions& search,
    const PolicyParts& parts, std::uint64_t seed) {
  return std::make_unique<Elimination>(options, search, parts, seed);
}

}  // namespace manyarms
