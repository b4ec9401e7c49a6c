#ifndef MANYARMS_SERVICE_ENGINE_SERVED_BANDIT_H_
#define MANYARMS_SERVICE_ENGINE_SERVED_BANDIT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "manyarms/evaluation.h"
#include "manyarms/learner_key.h"
#include "manyarms/population.h"
#include "service/engine/arm_info.h"
#include "service/engine/limits.h"
#include "service/engine/settings.h"
#include "service/store/store.h"

namespace manyarms::service {

// NOLINTBEGIN(readability-redundant-member-init): g++ warns without them.

struct ChoiceRequest {
  std::string learner = {};  ///< empty: the one of those who do not say
  std::vector<float> context = {};
  std::size_t count = 1;
  bool slate = false;  ///< whether a count was asked for
  /// All arms, some of them, or those whose tags meet an expression.
  std::vector<ArmName> arms = {};
  std::string tags = {};
  std::string event = {};
  bool active = true;
  /// In apprentice mode: the caller's own arm. Not used otherwise.
  std::optional<ArmName> own_arm = std::nullopt;
};

struct ChoiceAnswer {
  Sequence first = 0;       ///< the number of the first decision
  Sequence durable_at = 0;  ///< answer when the store has written this
  /// Empty if the event was answered before: then Recall(first, count) returns
  /// them, once durable_at is durable.
  std::vector<DecisionRow> decisions = {};
  std::uint32_t count = 0;
  bool repeated = false;
};

struct RewardRequest {
  Sequence decision = 0;  ///< or 0, and the event says it
  std::string event = {};
  double reward = 0;
  /// The client's, so that a retry does nothing; each decision has its own.
  std::string id = {};
  /// An event that is not remembered is looked up once the store has written
  /// this, 0: all that it has been given. What it had been given before the
  /// first reward of a batch was taken is enough for all of them.
  Sequence as_of = 0;
};

struct RewardAnswer {
  Sequence durable_at = 0;
  Sequence decision = 0;
  bool learned = false;  ///< now
  /// If it was not: "waiting" (it counts when the wait is over), "late" (it was
  /// logged, and is not learned), "repeated" (its id was seen before). Of other
  /// requests: "activated", "dismissed", "repeated" (it was active before) or
  /// "late" (the decision does not wait any more, and nothing was logged).
  std::string reason = {};
};

struct LearnerView {
  LearnerInfo info;
  std::uint64_t open = 0;  ///< decisions that wait for a reward
};

/// What is expected of an arm.
struct ArmView {
  ArmName arm = {};
  double expected = 0;
  double uncertainty = 0;
};

/// Sums since the service began, for the page and /metrics.
struct BanditStats {
  std::uint64_t arms = 0;
  std::uint64_t learners = 0;
  std::uint64_t open_decisions = 0;
  /// What follows is counted since this time: the start of the process, or
  /// later that of the bandit.
  Time counted_since = 0;
  std::uint64_t choices = 0;
  std::uint64_t rewards = 0;  ///< learned, defaults among them
  std::uint64_t default_rewards = 0;
  std::uint64_t late_rewards = 0;
  std::uint64_t dismissed = 0;
  std::uint64_t observed = 0;
  std::uint64_t repeated_events = 0;
  /// Of apprentice mode: choices, and those in which the policy agreed.
  std::uint64_t compared = 0;
  std::uint64_t agreed = 0;
  /// Rewards of decisions, by whether they were uniform: count, sum and sum of
  /// squares.
  struct Moments {
    std::uint64_t count = 0;
    double sum = 0;
    double squares = 0;
  };
  Moments policy;
  Moments uniform;
  PopulationStats population;
};

// NOLINTEND(readability-redundant-member-init)

/// A bandit by name: a Population, what its clients call its arms, its
/// decisions that wait for rewards, and the store that it writes to.
///
/// Every call that changes something changes it at once and puts it into the
/// store's queue; the caller acknowledges it when the store has written it.
/// After an error nothing has changed.
///
/// Thread safety: any thread may call any method.
class ServedBandit {
 public:
  /// `clock` returns the time in seconds since 1970; by default it is the
  /// system's.
  ServedBandit(BanditNumber number, std::string name, const Settings& settings,
               const Limits& limits, Store& store,
               const std::function<Time()>& clock = {});
  ~ServedBandit();
  ServedBandit(const ServedBandit&) = delete;
  ServedBandit& operator=(const ServedBandit&) = delete;

  /// Makes the state that the store has. REQUIRES: nothing was called before.
  void Restore(Sequence checkpoint);

  /// None of these waits for changes of arms, however long they take.
  const std::string& name() const;
  BanditNumber number() const;
  Settings settings() const;
  std::size_t dim() const;
  bool named_arms() const;
  std::size_t arms() const;
  /// `population` is as it was when arms were last not being changed.
  BanditStats stats() const;

  /// Whether arms and settings can be used at once: nobody changes them or
  /// waits to do so.
  bool IsFree() const;

  /// Gives it the semantics that `changed` makes of the present settings, which
  /// nobody else changes meanwhile. Throws what `changed` throws.
  Sequence Change(const std::function<Semantics(const Settings&)>& changed);

  /// Deletes all that the store has of it. Whoever calls another method
  /// afterwards gets Refused(kNotFound).
  Sequence Delete();

  /// Adds arms or gives them new features and tags, all or none; with
  /// `only_new`, an arm that is there is Refused(kConflict).
  struct PutResult {
    Sequence durable_at = 0;
    std::uint64_t added = 0;
    std::uint64_t changed = 0;
  };
  PutResult PutArms(std::vector<ArmInfo> arms, bool only_new);
  /// Throws what PutArms would throw for this arm's name, features and tags,
  /// so that a long body can be refused at its first wrong arm. (Arms that are
  /// given twice, and limits, are found by PutArms.) Never waits.
  void CheckArm(const ArmInfo& arm) const;
  /// All or none. Throws Error(kUnknownId).
  Sequence RemoveArms(const std::vector<ArmName>& arms);
  /// Up to `most` arms in places from `from` on, and the place to go on from
  /// (none at the end).
  struct Page {
    std::vector<ArmInfo> arms;
    std::optional<std::uint64_t> next;
  };
  Page ListArms(std::uint64_t from, std::size_t most) const;
  ArmInfo FindArm(const ArmName& arm) const;  ///< Error(kUnknownId)
  std::vector<std::pair<std::string, std::uint64_t>> Tags() const;

  ChoiceAnswer Choose(const ChoiceRequest& request);
  /// Whether that takes some microseconds: few arms are given and wanted, no
  /// probabilities are drawn, and no arms are being changed.
  bool IsShort(const ChoiceRequest& request) const;
  /// The decisions of an earlier choice. REQUIRES: they are durable.
  std::vector<DecisionRow> Recall(Sequence first, std::uint32_t count) const;

  /// Whether memory has a decision that waits for its reward. What comes for
  /// any other has to wait for the store. No if arms are being changed.
  bool IsOpen(Sequence decision, const std::string& event) const;
  RewardAnswer Reward(const RewardRequest& request);
  RewardAnswer Activate(Sequence decision, const std::string& event);
  RewardAnswer Dismiss(Sequence decision, const std::string& event);
  /// Learns a reward without a decision, of an arm or of features. One with an
  /// id that was seen before is not learned again.
  RewardAnswer Observe(const std::string& learner,
                       const std::optional<ArmName>& arm,
                       std::vector<float> features, std::vector<float> context,
                       double reward, const std::string& id = "");

  /// In the order of their bytes, those after the given one, at most `most`.
  std::vector<std::string> ListLearners(const std::optional<std::string>& after,
                                        std::size_t most) const;
  LearnerView FindLearner(const std::string& learner) const;
  Sequence ForgetLearner(const std::string& learner);
  /// What is expected of these arms; of none, the `best` arms of all.
  std::vector<ArmView> Predict(const std::string& learner,
                               const std::vector<ArmName>& arms,
                               std::size_t best,
                               const std::vector<float>& context) const;
  std::vector<double> PredictFeatures(
      const std::string& learner, const std::vector<std::vector<float>>& rows,
      const std::vector<float>& context) const;

  /// Learns default rewards of decisions whose wait is over, and closes others.
  void Expire(Time now);

  /// Saves learners that have changed, so that a restart has little to replay.
  /// With `all`, also if little has happened.
  void SaveLearners(bool all);

  Sequence TakeSnapshot(const std::string& name);
  Sequence RestoreSnapshot(const std::string& name);  ///< waits for the store
  Sequence DeleteSnapshot(const std::string& name);
  std::vector<SnapshotRow> Snapshots() const;

  /// When the first of its open decisions was made.
  std::optional<Time> OldestOpen() const;

  /// A digest of everything that decisions depend on: for tests.
  std::string Digest() const;

  /// The name by which clients call an arm.
  static ArmName NameOf(const DecisionRow& row);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_SERVED_BANDIT_H_
