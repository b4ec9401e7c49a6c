#ifndef MANYARMS_SHARDS_SHARDED_BANDIT_H_
#define MANYARMS_SHARDS_SHARDED_BANDIT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "kernels/arm_set.h"
#include "manyarms/bandit.h"
#include "search/certified/snapshot.h"
#include "shards/answer.h"
#include "shards/guard.h"
#include "shards/survey_schedule.h"

namespace manyarms {

/// Counts what a sharded bandit has done so far.
struct ShardedStats : PolicyStats {
  std::uint64_t choices = 0;  ///< a slate counts as one
  std::uint64_t sent = 0;     ///< of these, how many only the shards could make
  std::uint64_t surveys = 0;  ///< adopted
  std::uint64_t known_arms = 0;  ///< that it holds now
};

/// A bandit whose arms are in shards (ArmShard), perhaps in other processes. It
/// decides what a Bandit with all arms would, to the last bit, and needs no
/// message for most choices: it knows the arms with the highest upper bounds,
/// and ceilings of all others. docs/design.md says why that is exact.
///
/// Whoever uses it carries the messages:
///  - If a choice returns none, question() goes to all shards that have
///    eligible arms, their answers come back through Answer, and the same
///    choice succeeds.
///  - If wants_survey(), RequestSurvey() goes to all shards, and what they
///    return comes back through Adopt, any time later.
///  - Arms are changed at the shards first, and then here, before the next
///    choice. The shards check what can be checked there.
///
/// After an Error it is as it was before the call, but for an answer that was
/// waiting for its choice. Thread safety: none; one thread at a time.
class ShardedBandit {
 public:
  /// Throws what Bandit throws, and Error(kUnsupported) for policies and
  /// searches that need all arms in one place.
  explicit ShardedBandit(const BanditOptions& options);

  /// Some arms of which only the shards know which they are.
  struct Elsewhere {
    std::size_t arms = 0;
  };
  using EligibleInShards =
      std::variant<std::monostate, std::span<const ArmId>, Elsewhere>;

  /// As Bandit::Choose among all arms; none if the shards must be asked.
  std::optional<Decision> Choose(Context context = {});

  /// As Bandit::ChooseBest; none if the shards must be asked. The first of one
  /// among some arms is what Bandit::Choose would choose among these.
  std::optional<std::vector<Decision>> ChooseBest(
      std::size_t count, const EligibleInShards& eligible = {},
      Context context = {});

  /// As Bandit::ChooseDraws; none if the shards must be asked, perhaps several
  /// times: the same call goes on where it stopped, and makes either all of its
  /// decisions or none. To be called with the same arguments until it has made
  /// them, and nothing else in between; otherwise DropDraws comes first.
  std::optional<std::vector<Decision>> ChooseDraws(
      std::size_t count, const EligibleInShards& eligible = {},
      std::span<const float> contexts = {});

  /// Gives up the draws that wait for an answer, if there are any.
  void DropDraws();

  /// What to ask the shards, with the number of arms that ChooseBest wants (1
  /// for Choose and ChooseDraws) and with the arms that are eligible. Throws
  /// Error(kOutdated) if the last choice needs no answer, or if arms have
  /// changed since.
  std::string question() const;

  /// The shards' answers, of each shard that has eligible arms. They serve the
  /// next choice only. Throws Error(kOutdated) as question(), and for answers
  /// to another question; Error(kInvalidArgument) if some answers are missing,
  /// Error(kDuplicateId) for an arm of two shards, and Error(kCorrupt).
  void Answer(std::span<const std::string> answers);

  bool wants_survey() const;

  /// Begins a survey, and gives up one that is under way. Throws
  /// Error(kUnsupported) with contexts, and Error(kOutdated) before the first
  /// choice among all arms that was sent.
  std::string RequestSurvey();

  /// Ends a survey with what all shards have found. Returns false if it would
  /// not pay, or if it was given up meanwhile because too many arms changed;
  /// then nothing has changed. Throws as Answer; the survey remains under way
  /// then.
  bool Adopt(std::span<const std::string> surveys);

  /// Gives up the survey that is under way, if there is one.
  void AbandonSurvey();

  /// The shards have added, removed or changed these arms. Throws what
  /// Bandit's methods throw, as far as the arms are known here.
  void Added(std::span<const ArmId> ids, const FeatureRows& features);
  void Removed(std::span<const ArmId> ids);
  void Updated(std::span<const ArmId> ids, const FeatureRows& features);

  /// The shards have added this number of arms on their own. All choices are
  /// sent until the next survey.
  void Loaded(std::size_t arms);

  /// As those of Bandit.
  void Learn(DecisionId decision, double reward);
  void Learn(const Decision& decision, double reward);
  void Learn(std::span<const DecisionId> decisions,
             std::span<const double> rewards);
  void CheckPending(const Decision& decision) const;
  void Dismiss(DecisionId decision);
  void Observe(std::span<const float> features, double reward,
               Context context = {});
  /// Learns rewards of arms, all or none of them, in this order. `sent` is what
  /// ArmShard::Send has returned about each of them: unlike their features,
  /// which may differ in the last bit with negative_rewards, that is the
  /// shard's own. An arm may occur more than once. `contexts` has one for each
  /// reward.
  void ObserveArms(std::span<const std::string> sent,
                   std::span<const ArmId> arms, std::span<const double> rewards,
                   std::span<const float> contexts = {});
  void Forget(double share);
  std::vector<double> Mean() const { return bandit_.Mean(); }
  std::vector<double> Predict(const FeatureRows& features,
                              std::span<const float> contexts = {}) const;

  /// As Bandit::Uncertainty, of arms with these features.
  std::vector<double> Uncertainty(const FeatureRows& features,
                                  Context context = {}) const;

  std::size_t pending() const { return bandit_.pending(); }
  const BanditOptions& options() const { return bandit_.options(); }

  /// The number of arms of all shards.
  std::size_t size() const { return arms_; }

  ShardedStats stats() const;

  /// Everything but what is known of the arms. One that is loaded decides as
  /// this one would have done, but sends all choices until its first survey.
  /// Throws Error(kCorrupt) and Error(kUnsupported).
  std::string Save() const;
  static ShardedBandit Load(std::string_view bytes);

 private:
  // A survey from its request on, with what has become of the arms since: their
  // inner features, or nothing if they were removed.
  struct UnderWay {
    std::uint64_t number;
    Snapshot snapshot;
    std::size_t arms;
    std::unordered_map<ArmId, std::vector<float>> changed;
  };

  ShardedBandit(Bandit bandit, std::unique_ptr<Guard> guard, std::size_t arms);

  using State = Bandit::State;

  // One of several choices that are made together, and the inner features of
  // its arm, which may not be known any more when they are made.
  struct Draw {
    ArmId arm;
    float score;
    std::vector<float> features;
    bool was_sent;
  };

  State& state() { return *bandit_.state_; }
  const State& state() const { return *bandit_.state_; }
  bool Knows(ArmId id) const { return bandit_.Contains(id); }
  std::size_t unknown_arms() const { return arms_ - bandit_.size(); }

  Need NeedOf(std::size_t count, const EligibleInShards& eligible,
              const ArmSet*& among);
  std::optional<Draw> NextDraw(Need need, const ArmSet* among, Context context);
  template <class Decide>
  auto Guarded(Need need, const Decide& decide);
  void CountChoice(bool was_sent);

  void CheckThereAre(std::span<const ArmId> ids) const;
  void Withdraw();
  void DropAnswer();
  void NoteChanges(std::span<const ArmId> ids, std::span<const float> rows);
  void Know(std::span<const ArmId> ids, std::span<const float> rows);
  void Ignore(std::span<const ArmId> ids);
  void KnowInstead(const SentArms& arms);
  void DropRest();
  void DropRestIfUseless();

  std::unique_ptr<Guard> guard_;  // to which the bandit refers
  Bandit bandit_;                 // with the arms that are known
  std::size_t arms_ = 0;          // of all shards

  // Of the question that was answered: its best arms, and those of them that
  // will not be known any more when the choice has been made.
  ArmSet winners_;
  std::vector<ArmId> guests_;

  std::vector<Draw> draws_;  // so far, of a ChooseDraws that has asked

  std::optional<UnderWay> survey_;
  SurveySchedule schedule_;
  std::uint64_t requests_ = 0;
  std::size_t fresh_ = 0;  // arms that became known since the last survey

  std::uint64_t choices_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t surveys_ = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_SHARDS_SHARDED_BANDIT_H_
