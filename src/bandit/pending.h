#ifndef MANYARMS_BANDIT_PENDING_H_
#define MANYARMS_BANDIT_PENDING_H_

#include <cstddef>
#include <cstdint>
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
/// and any other decision after the oldest pending one takes 4 to 16. Freed
/// memory is kept for later decisions.
class PendingDecisions {
 public:
  /// `made` decisions were made before, none of which is pending.
  PendingDecisions(std::size_t dim, std::size_t limit, std::uint64_t made = 0)
      : dim_(dim), limit_(limit), first_(made + 1) {}

  /// The place for the features of a new decision, whose number is last().
  std::span<float> Add(ArmId arm);

  DecisionId last() const { return first_ + window_size() - 1; }

  bool IsPending(DecisionId decision) const;

  /// Throws Error(kUnknownId), saying why, unless the decision is pending.
  std::span<const float> Features(DecisionId decision) const;

  /// Throws Error(kUnknownId) if the decision is pending and chose another arm.
  void CheckArm(DecisionId decision, ArmId arm) const;

  /// REQUIRES: the decision is pending.
  void Remove(DecisionId decision);

  std::size_t size() const { return size_; }

  std::size_t memory_bytes() const;

  void Save(ByteWriter& writer) const;
  /// REQUIRES: no decision has been made. Files of the first format have no
  /// arms; then CheckArm accepts any arm.
  void Restore(ByteReader& reader, bool with_arms);

 private:
  static constexpr std::uint32_t kDone = ~std::uint32_t{0};

  std::size_t window_size() const { return window_.size() - dropped_; }
  std::uint32_t& PlaceOf(DecisionId decision) {
    return window_[dropped_ + (decision - first_)];
  }
  std::uint32_t PlaceOf(DecisionId decision) const {
    return window_[dropped_ + (decision - first_)];
  }
  std::span<float> FeaturesAt(std::uint32_t place);
  void DropFirst();

  std::size_t dim_;
  std::size_t limit_;
  DecisionId first_;                   // of the window
  std::vector<std::uint32_t> window_;  // places of features, or kDone
  std::size_t dropped_ = 0;            // entries of window_ before first_
  std::vector<float> features_;
  std::vector<ArmId> arms_;          // by place
  DecisionId first_armed_ = 1;       // arms of earlier ones are not known
  std::vector<std::uint32_t> free_;  // places
  std::size_t size_ = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_BANDIT_PENDING_H_
