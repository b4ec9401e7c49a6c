#ifndef MANYARMS_POLICY_ELIMINATION_H_
#define MANYARMS_POLICY_ELIMINATION_H_

#include <functional>
#include <limits>
#include <vector>

#include "policy/confidence.h"
#include "policy/heap_augmented_arm_set.h"
#include "policy/policy.h"

namespace manyarms {

/// Algorithm 3, extended to arms that are removed and to intervals that fail.
/// docs/design.md says what differs from the paper's text, and why.
///
/// A choice costs O(d^2) and one search by quadratic form over the lowest
/// stage that has arms. Every arm moves to a higher stage at most last_stage()
/// times, each time at O(d^2 + log K).
///
/// Invariants: every arm is in exactly one stage or among the eliminated; no
/// arm in a stage has a key below the threshold.
class Elimination final : public Policy {
 public:
  Elimination(const EliminationOptions& options, const SearchOptions& search,
              const PolicyParts& parts, std::uint64_t seed);

  void Add(std::span<const Slot> slots) override;
  void Remove(Slot slot) override;
  Hit Choose(Context context) override;
  std::vector<Hit> ChooseTop(const TopRequest& request,
                             Context context) override;
  void Pass() override { ++choices_; }
  /// Throws: to find out what it would choose, it moves arms between stages.
  void TakeBack(std::uint64_t choices) override;
  Wins CountWins(const Redraws& redraws, std::span<const Slot> arms) override;
  PolicyStats stats() const override;
  double exploration() const override { return confidence_.exploration(); }
  void Save(ByteWriter& writer) const override;
  void Restore(ByteReader& reader, std::span<const Slot> slots) override;

 private:
  using Entry = HeapAugmentedArmSet::Entry;

  std::size_t last_stage() const { return stages_.size() - 1; }
  std::size_t StageOf(float uncertainty) const;
  double SoughtSquare(std::size_t stage) const;
  std::size_t FirstStageWithArms() const;
  std::vector<ArmBounds> Bounds(std::vector<Slot> slots);

  std::vector<Slot> AllArms() const;

  void Admit(std::vector<Slot> slots);
  void RaiseThreshold(std::span<const ArmBounds> candidates);
  void LowerThreshold();
  void SetAside(std::span<const Entry> arms);
  std::optional<Hit> Advance(std::size_t stage);
  Hit NextHit();
  Hit RandomArm(const HeapAugmentedArmSet& stage);

  // Immutable after construction.
  const ArmStore& store_;
  const std::uint64_t seed_;
  const double accuracy_;
  const Posterior& posterior_;
  const Confidence confidence_;

  std::vector<float> widths_;  // of the stages

  std::vector<std::uint32_t> places_;   // of an arm in the heap that it is in
  std::vector<std::uint8_t> stage_of_;  // or kEliminated
  std::vector<HeapAugmentedArmSet> stages_;
  IndexedHeap<std::greater<>> eliminated_;  // by upper bound of the reward
  float threshold_ = -std::numeric_limits<float>::infinity();
  Slot carrier_ = kNoSlot;  // the arm whose lower bound the threshold is

  std::uint64_t choices_ = 0;
  std::uint64_t eliminations_ = 0;
  std::uint64_t recoveries_ = 0;
  std::uint64_t bounds_computed_ = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_POLICY_ELIMINATION_H_
