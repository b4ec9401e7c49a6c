#ifndef MANYARMS_SERVICE_ENGINE_BANDIT_STATE_H_
#define MANYARMS_SERVICE_ENGINE_BANDIT_STATE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "manyarms/population.h"
#include "service/engine/open_decisions.h"
#include "service/engine/remembered.h"
#include "service/engine/served_arms.h"
#include "service/engine/served_bandit.h"
#include "service/engine/served_learners.h"
#include "service/engine/writer_first_mutex.h"

namespace manyarms::service {

/// What a choice with an event's id was answered.
struct AnsweredEvent {
  std::uint64_t learner = 0;  ///< ServedLearners::HashOf
  Sequence first = 0;         ///< 0 while it is being made
  std::uint32_t count = 0;
};

/// A reward with a client's id.
struct RewardWithId {
  std::uint64_t learner = 0;  ///< as above
  Sequence sequence = 0;      ///< 0 while it is being learned
};

/// By which a reward with a client's id is remembered: the id belongs to its
/// decision, so that clients may give the same one to rewards of several. That
/// of an observation belongs to decision 0.
std::string RewardIdOf(Sequence decision, const std::string& id);

/// The parts of a served bandit.
///
/// Locks are taken in this order: `snapshots`, `saving`, `world`, that of a
/// learner's stripe (never two of them), and those within open decisions, what
/// is remembered, settings, counters, population and store.
class ServedBandit::State {
 public:
  State(BanditNumber bandit, std::string bandit_name, Settings given,
        const Limits& given_limits, Store& to,
        const std::function<Time()>& given_clock);

  using World = std::shared_lock<WriterFirstMutex>;
  using WholeWorld = std::unique_lock<WriterFirstMutex>;

  /// The turn of a learner: holds the lock of its stripe.
  class Turn;

  /// From the first change in memory to the last. If it ends early, because
  /// memory has run out, memory and store may differ, and the bandit is not
  /// served any more.
  class Applying {
   public:
    explicit Applying(State& state) : state_(state) {}
    ~Applying() {
      if (!done_) state_.broken = true;
    }
    Applying(const Applying&) = delete;
    Applying& operator=(const Applying&) = delete;
    void Done() { done_ = true; }

   private:
    State& state_;
    bool done_ = false;
  };

  /// Throws Refused(kNotFound) if the bandit is deleted, and
  /// Refused(kUnavailable) if nothing can be written.
  void CheckWritable() const;
  void CheckNotDeleted() const;
  /// Throws Refused(kUnavailable) while a snapshot is being restored, which has
  /// the world for as long as it takes.
  void CheckNotRestoring() const;
  /// The world, for those who read. Throws likewise.
  World Read() const;
  /// Throws Refused(kTooMany) if there may be no further learner.
  void CheckRoomForLearner() const;
  bool CanWrite() const;

  /// Returns work(). If memory runs out in it, nothing is served any more.
  template <class Work>
  auto UnlessMemoryRunsOut(const Work& work) {
    try {
      return work();
    } catch (const std::bad_alloc&) {
      broken = true;
      throw;
    }
  }

  /// Waits for the store. Throws Refused(kUnavailable).
  void WaitFor(Sequence change) const;

  bool IsOver(const OpenDecision& decision, Time now) const {
    return decision.time + settings.semantics.reward_wait <= now;
  }

  // In choices.cc. REQUIRES: the caller has the world and the learner's turn.
  static Chooser ChooserOf(const DecisionRow& row);
  ChoiceAnswer Choose(const ChoiceRequest& request, Turn& turn);
  void DropTooOld(const ServedLearner& learner, std::uint64_t newest);

  // In rewards.cc.
  Sequence DecisionOf(Sequence decision, const std::string& event,
                      Sequence as_of = 0) const;
  std::vector<DecisionRow> FindOnDisk(Sequence decision) const;
  void Learn(const OpenDecision& decision, double reward);
  Sequence AppendReward(Turn& turn, const OpenDecision& decision,
                        RewardKind kind, double reward, const std::string& id);
  RewardAnswer RewardOpen(const RewardRequest& request,
                          const OpenDecision& decision, Turn& turn);
  RewardAnswer RewardClosed(const RewardRequest& request, Sequence decision);

  // In expiry.cc. Returns whether there may be more to do. REQUIRES: the caller
  // has the world.
  bool ExpireSome(Time now);
  bool ExpireOne(Sequence decision, Time now, Turn& turn);
  void Settle(const OpenDecision& decision, Turn& turn);
  void SettleTooOld(ServedLearner& learner, std::size_t further, Turn& turn);

  // In saving.cc. REQUIRES: the caller has `saving`, and for the second one the
  // world.
  void SaveLearners(bool all, bool has_world);
  bool SaveSome(ServedLearners::Stripe& stripe, bool all, Sequence& checkpoint);
  void SaveOne(ServedLearner& learner);

  // In restore.cc. REQUIRES: nobody else uses the bandit.
  void ReadAll(Sequence checkpoint);
  void MakeEmpty();
  void Take(LearnerSaved&& saved);
  void Replay(const DecisionsMade& made);
  void Replay(const RewardRow& row);
  void ReplayOpen(const RewardRow& row, const OpenDecision& decision);

  // In snapshots.cc. REQUIRES for the first: the caller has `snapshots`.
  bool HasSnapshot(const std::string& snapshot) const;
  void FinishRestoring();

  // In learners.cc.
  std::vector<ArmId> BestArms(const LearnerKey& key, std::size_t most,
                              const std::vector<float>& context) const;

  ServedLearners learners;  // aligned, so it comes first

  const BanditNumber number;
  const std::string name;
  const Limits limits;
  const std::uint64_t learner_bytes;  // of each
  Store& store;
  const std::function<Time()> clock;

  // Those who use arms, settings and learners share it; those who change arms
  // or settings, or replace everything, have it for themselves.
  mutable WriterFirstMutex world;
  // Semantics change under `settings_mutex` as well, so that whoever asks for
  // the settings does not wait for the world. The rest never changes.
  mutable std::mutex settings_mutex;
  Settings settings;
  std::unique_ptr<Population> population;
  std::unique_ptr<ServedArms> arms;

  OpenDecisions open;
  Remembered<AnsweredEvent> events;
  Remembered<RewardWithId> reward_ids;

  // A snapshot whose restoring the store has not yet confirmed, or 0.
  std::atomic<Sequence> restoring = 0;
  // The latest LearnerForgotten: what is on the disk may be older.
  std::atomic<Sequence> last_forgotten = 0;

  std::mutex saving;                       // one at a time
  Sequence last_checkpoint = 0;            // guarded by `saving`
  std::size_t saved_since_wait = 0;        // likewise: learners
  std::atomic<std::uint64_t> unsaved = 0;  // events of all learners
  std::mutex snapshots;                    // one at a time
  Sequence last_snapshot_change = 0;       // guarded by `snapshots`

  struct Counters {
    mutable std::mutex mutex;
    BanditStats sums;
  };
  mutable Counters counters;
  std::atomic<std::uint64_t> arm_count = 0;  // of `arms`, for who has no world

  std::atomic<bool> broken = false;
  std::atomic<bool> deleted = false;
};

class ServedBandit::State::Turn {
 public:
  Turn(State& state, std::uint32_t stripe)
      : state_(state),
        stripe_(state.learners.At(stripe)),
        lock_(stripe_.mutex) {}
  Turn(State& state, std::string_view learner)
      : Turn(state,
             ServedLearners::StripeNumber(ServedLearners::HashOf(learner))) {}
  ~Turn() {
    if (added_ != nullptr) state_.learners.Remove(stripe_, *added_);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  ServedLearner* Find(std::string_view learner) const {
    return ServedLearners::Find(stripe_, learner);
  }

  /// The learner, which is added if it is not there, and removed again unless
  /// Keep or Count is called. Throws Refused(kTooMany) if there would be more
  /// learners than the limits allow.
  ServedLearner& FindOrAdd(const std::string& learner);
  /// The same for a learner that the store has, whatever the limits are.
  ServedLearner& FindOrBringBack(const std::string& learner);
  void Keep() { added_ = nullptr; }

  /// Sees to it that the learner can be counted among those to be saved.
  void Prepare(ServedLearner& learner) {
    ServedLearners::List(stripe_, learner);
  }

  /// The store has got an event of the learner. REQUIRES: Prepare(learner).
  void Count(ServedLearner& learner, Sequence event) {
    if (learner.first_unsaved == 0) learner.first_unsaved = event;
    ++learner.unsaved;
    ++state_.unsaved;
    learner.has_changed = true;
    Keep();
  }

  void Remove(ServedLearner& learner) {
    state_.unsaved -= learner.unsaved;
    state_.learners.Remove(stripe_, learner);
  }

 private:
  State& state_;
  ServedLearners::Stripe& stripe_;
  std::unique_lock<std::mutex> lock_;
  ServedLearner* added_ = nullptr;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_BANDIT_STATE_H_
