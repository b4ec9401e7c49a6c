#ifndef MANYARMS_BANDIT_PENDING_H_
#define MANYARMS_BANDIT_PENDING_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "manyarms/types.h"

namespace manyarms {

/// What choices are made by, apart from random numbers: two choices with the
/// same basis are made by the same knowledge, among the same arms.
struct Basis {
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  std::uint64_t version = 0;    ///< of the posterior
  std::uint64_t prior = 0;      ///< a learner's that has learned nothing
  std::uint64_t epoch = kNone;  ///< of the arms; by default one that never is

  bool operator==(const Basis&) const = default;
};

/// A decision that has just been made.
struct NewDecision {
  ArmId arm = 0;
  /// The number of arms that were eligible. 0 for all but the first of a slate:
  /// their arms were not the best of the eligible ones.
  std::size_t eligible = 0;
  Basis basis;
};

/// What a file has of each pending decision, apart from its features.
enum class PendingFormat : std::uint8_t {
  kNothing,
  kArm,
  kArmAndEligible,  ///< and which of them have the basis of the moment
};

/// The pending decisions, each with the features that its arm had when it was
/// chosen: before the reward comes, the arm may be removed or updated.
///
/// Decisions are numbered 1, 2, 3, ..., and at most the last `limit` of them
/// are kept. All operations cost O(d). A pending decision takes 4d + 20 bytes,
/// and any other decision after the oldest pending one takes 4 to 16. Freed
/// memory is kept for later decisions.
class PendingDecisions {
 public:
  /// `made` decisions were made before, none of which is pending.
  PendingDecisions(std::size_t dim, std::size_t limit, std::uint64_t made = 0)
      : dim_(dim), limit_(limit), first_(made + 1) {}

  /// The place for the features of a new decision, whose number is last().
  std::span<float> Add(const NewDecision& made);

  DecisionId last() const { return first_ + window_size() - 1; }

  bool IsPending(DecisionId decision) const;

  /// Throws Error(kUnknownId), saying why, unless the decision is pending.
  std::span<const float> Features(DecisionId decision) const;

  /// Throws Error(kUnknownId) if the decision is pending and chose another arm.
  void CheckArm(DecisionId decision, ArmId arm) const;

  /// REQUIRES for the rest: the decision is pending.

  ArmId arm(DecisionId decision) const { return arms_[PlaceOf(decision)]; }

  /// NewDecision::eligible.
  std::size_t eligible(DecisionId decision) const {
    return eligible_[PlaceOf(decision)];
  }

  /// What it was made by, if no decision was made by anything else since.
  std::optional<Basis> BasisOf(DecisionId decision) const {
    if (decision < first_by_basis_) return std::nullopt;
    return basis_;
  }

  /// It is one for another arm from now on, in the same context. It has no
  /// eligible arms then, since the arm was not the best of them.
  void Reassign(DecisionId decision, ArmId arm,
                std::span<const float> features);

  void Remove(DecisionId decision);

  std::size_t size() const { return size_; }

  std::size_t memory_bytes() const;

  /// All decisions so far were made by other bases than the one of the moment,
  /// even if that has the same numbers.
  void Outdate() { first_by_basis_ = last() + 1; }

  /// `now` is the basis of the moment. Where it is restored it may be another,
  /// because epochs are counted anew.
  void Save(ByteWriter& writer, const Basis& now) const;
  /// REQUIRES: no decision has been made. Without arms, CheckArm accepts any
  /// arm.
  void Restore(ByteReader& reader, PendingFormat format, const Basis& now);

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
  std::vector<ArmId> arms_;              // by place
  std::vector<std::uint32_t> eligible_;  // by place
  DecisionId first_armed_ = 1;           // arms of earlier ones are not known
  std::vector<std::uint32_t> free_;      // places
  // A basis that has changed never returns, so all decisions by the last one
  // follow one another.
  Basis basis_;
  DecisionId first_by_basis_ = 1;
  std::size_t size_ = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_BANDIT_PENDING_H_
