#ifndef MANYARMS_SERVICE_ENGINE_OPEN_DECISIONS_H_
#define MANYARMS_SERVICE_ENGINE_OPEN_DECISIONS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "service/engine/handle_table.h"
#include "service/engine/served_learners.h"
#include "service/store/changes.h"

namespace manyarms::service {

/// Who chose the arm of a decision.
enum class Chooser : std::uint8_t {
  kPolicy,
  kUniform,  ///< the uniform slice
  kCaller,   ///< in apprentice mode
};

/// A decision that waits for its reward.
struct OpenDecision {
  Sequence sequence = 0;
  Time time = 0;
  std::uint64_t number = 0;  ///< among its learner's decisions
  ServedLearner* learner = nullptr;
  Chooser chooser = Chooser::kPolicy;
  bool active = true;
};

/// The rewards that came so far for a decision whose reward is made of several.
struct RewardParts {
  double first = 0;
  double sum = 0;
  double last = 0;
};

/// The decisions of a bandit that wait for rewards. One takes some 60 bytes;
/// all operations take O(1) unless they say otherwise.
///
/// A decision is added and removed by threads that hold the lock of its
/// learner's stripe; any thread may look.
///
/// Thread safety: any thread may call any method.
class OpenDecisions {
 public:
  /// Room for some decisions, so that adding them cannot fail.
  class Room {
   public:
    Room(OpenDecisions& decisions, std::size_t count)
        : decisions_(decisions), left_(count) {}
    ~Room() { decisions_.GiveBack(left_); }
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;

    /// REQUIRES: there is room left.
    void Add(const OpenDecision& decision) {
      decisions_.Add(decision);
      --left_;
    }

   private:
    OpenDecisions& decisions_;
    std::size_t left_;
  };

  /// Throws Refused(kTooMany) if there were more than `most` decisions then.
  /// The room must not outlive this object.
  Room MakeRoom(std::size_t further, std::uint64_t most);

  std::optional<OpenDecision> Find(Sequence decision) const;
  /// The stripe of the decision's learner.
  std::optional<std::uint32_t> StripeOf(Sequence decision) const;

  /// REQUIRES for the next three: the decision is there.
  void Remove(Sequence decision);
  void Activate(Sequence decision);
  void AddPart(Sequence decision, double reward);
  /// For decisions that are restored.
  void SetParts(Sequence decision, const RewardParts& parts);
  std::optional<RewardParts> PartsOf(Sequence decision) const;

  /// Those that were made at `time` or before, which is not after `now`: at
  /// most `most` of the oldest, each with the stripe of its learner. Decisions
  /// with a time well after `now`, from a clock that was ahead, count as made
  /// now from then on.
  struct Due {
    Sequence decision = 0;
    std::uint32_t stripe = 0;
  };
  std::vector<Due> MadeUntil(Time time, Time now, std::size_t most);

  /// A learner's decisions, at most `most`, the oldest first. O(their number).
  std::vector<OpenDecision> Of(const ServedLearner& learner,
                               std::size_t most = ~std::size_t{0}) const;
  std::optional<OpenDecision> OldestOf(const ServedLearner& learner) const;
  std::size_t CountOf(const ServedLearner& learner) const;

  /// When the first of all was made.
  std::optional<Time> OldestTime() const;

  /// Puts all in the order of their sequences, whatever the order in which they
  /// were added. O(n log n).
  void Sort();

  void Clear();
  std::size_t size() const;

 private:
  using Index = HandleTable::Handle;
  static constexpr Index kNone = HandleTable::kNone;

  // `number` has the lower 40 bits.
  struct Entry {
    Sequence sequence;
    Time time;
    ServedLearner* learner;
    std::uint64_t number : 40;
    std::uint64_t chooser : 8;
    std::uint64_t active : 1;
    Index older;  // in the list of all
    Index newer;
    Index previous;  // among its learner's
    Index next;
  };

  void Add(const OpenDecision& decision);
  void GiveBack(std::size_t room);
  Index IndexOf(Sequence decision) const;
  OpenDecision At(Index index) const;
  void Link(Index index);
  void LinkAsNewest(Index index);
  void UnlinkByAge(Index index);
  Sequence HashAt(Index index) const { return entries_[index].sequence; }

  mutable std::mutex mutex_;
  std::deque<Entry> entries_;
  std::vector<Index> free_;
  std::size_t promised_ = 0;  // entries for which there is room
  HandleTable by_sequence_;
  Index oldest_ = kNone;
  Index newest_ = kNone;
  std::unordered_map<Sequence, RewardParts> parts_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_OPEN_DECISIONS_H_
