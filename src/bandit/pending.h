#ifndef MANYARMS_BANDIT_PENDING_H_
#define MANYARMS_BANDIT_PENDING_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "manyarms/types.h"

namespace manyarms {

/// The pending decisions, each with the features that its arm had when it was
/// chosen: before the reward comes, the arm may be removed or updated.
///
/// Decisions are numbered 1, 2, 3, ..., and at most the last `limit` of them
/// are kept. All operations cost O(d). A pending decision takes 4d + 16 bytes,
/// and any other decision after the oldest pending one takes 4. Freed memory is
/// kept for later decisions.
class PendingDecisions {
 public:
  PendingDecisions(std::size_t dim, std::size_t limit)
      : dim_(dim), limit_(limit) {}

  /// The place for the features of a new decision, whose number is last().
  std::span<float> Add(ArmId arm);

  DecisionId last() const { return first_ + window_.size() - 1; }

  /// Throws Error(kUnknownId), saying why, unless the decision is pending.
  std::span<const float> Features(DecisionId decision) const;

  /// Throws Error(kUnknownId) if the decision is pending and chose another arm.
  void CheckArm(DecisionId decision, ArmId arm) const;

  /// REQUIRES: the decision is pending.
  void Remove(DecisionId decision);

  std::size_t size() const { return size_; }

  void Save(ByteWriter& writer) const;
  /// REQUIRES: no decision has been made. Files of the first format have no
  /// arms; then CheckArm accepts any arm.
  void Restore(ByteReader& reader, bool with_arms);

 private:
  static constexpr std::uint32_t kDone = ~std::uint32_t{0};

  bool IsPending(DecisionId decision) const;
  std::span<float> FeaturesAt(std::uint32_t place);
  void DropFirst();

  std::size_t dim_;
  std::size_t limit_;
  DecisionId first_ = 1;              // of the window
  std::deque<std::uint32_t> window_;  // places of features, or kDone
  std::vector<float> features_;
  std::vector<ArmId> arms_;          // by place
  DecisionId first_armed_ = 1;       // arms of earlier ones are not known
  std::vector<std::uint32_t> free_;  // places
  std::size_t size_ = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_BANDIT_PENDING_H_
