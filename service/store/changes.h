#ifndef MANYARMS_SERVICE_STORE_CHANGES_H_
#define MANYARMS_SERVICE_STORE_CHANGES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "manyarms/types.h"

/// What the service writes down, in the order in which it happened. Replayed in
/// this order, it makes the same state again (docs/service.md has the tables).
namespace manyarms::service {

/// Everything that happens gets the next number, 1, 2, 3, ...
using Sequence = std::uint64_t;

/// Numbers that are left out after a process that told others numbers before
/// they were written, and did not close its store. More than can wait for the
/// disk.
inline constexpr Sequence kNumbersLeftOut = Sequence{1} << 24;

/// Bandits are numbered 1, 2, 3, ...; a number is never given twice.
using BanditNumber = std::int64_t;

/// Seconds since 1970, UTC.
using Time = double;

// NOLINTBEGIN(readability-redundant-member-init): g++ warns without them.

struct BanditCreated {
  BanditNumber bandit = 0;
  std::string name = {};
  std::string settings = {};  ///< JSON
  Time time = 0;
};

struct BanditChanged {
  BanditNumber bandit = 0;
  std::string settings = {};
};

/// With everything that belongs to it.
struct BanditDeleted {
  BanditNumber bandit = 0;
};

/// An arm in its place. A place without an arm waits for the next one: the
/// place that was freed last (with the largest `freed`) is taken first.
struct ArmRow {
  std::uint32_t place = 0;
  ArmId arm = 0;
  std::string name = {};  ///< empty if arms have numbers
  std::vector<float> features = {};
  std::vector<std::string> tags = {};
  Sequence added = 0;       ///< when it got these features; set by the store
  std::uint64_t freed = 0;  ///< 0 as long as there is an arm
};

/// Arms that are added, or have other features or tags from now on. What was in
/// their places, if it was an arm, becomes a former arm.
struct ArmsPut {
  BanditNumber bandit = 0;
  std::vector<ArmRow> arms = {};
  Time time = 0;
};

struct ArmsRemoved {
  struct Freed {
    std::uint32_t place = 0;
    std::uint64_t freed = 0;
  };
  BanditNumber bandit = 0;
  std::vector<Freed> arms = {};
  Time time = 0;
};

/// An arm that was chosen. A slate consists of several, which follow one
/// another.
struct DecisionRow {
  Sequence sequence = 0;  ///< set by the store
  BanditNumber bandit = 0;
  std::string learner = {};
  std::uint64_t number = 0;  ///< among the learner's decisions, from 1 on
  std::uint32_t rank = 0;    ///< in its slate, from 0 on
  std::uint32_t slate = 1;   ///< how many arms were chosen together
  ArmId arm = 0;
  std::string arm_name = {};  ///< empty if arms have numbers
  std::vector<float> features = {};
  std::vector<float> context = {};
  double score = 0;
  std::uint64_t eligible = 0;
  bool uniform = false;
  std::optional<double> probability = std::nullopt;
  /// In apprentice mode, what the policy would have chosen.
  std::optional<ArmId> policy_arm = std::nullopt;
  std::string policy_arm_name = {};
  std::string event = {};  ///< the client's id; empty if there is none
  bool active = true;      ///< whether a missing reward is the default reward
  Time time = 0;
};

/// The decisions of one choice.
struct DecisionsMade {
  std::vector<DecisionRow> decisions = {};
};

enum class RewardKind : std::uint8_t {
  kLearned,    ///< the decision has its reward
  kDefault,    ///< likewise, because none came in time
  kPart,       ///< one of several that make up the reward
  kLate,       ///< not learned: the decision is closed
  kActivated,  ///< no reward: the decision was really shown
  kDismissed,  ///< no reward: none will come
  kObserved,   ///< learned without a decision
};

struct RewardRow {
  Sequence sequence = 0;  ///< set by the store
  BanditNumber bandit = 0;
  RewardKind kind = RewardKind::kLearned;
  Sequence decision = 0;  ///< 0 if it was observed
  std::string learner = {};
  double reward = 0;
  std::string id = {};  ///< the client's; empty if there is none
  // Of one that was observed:
  std::optional<ArmId> arm = std::nullopt;
  std::string arm_name = {};
  std::vector<float> features = {};
  std::vector<float> context = {};
  Time time = 0;
};

/// What a learner knows, so that earlier events need not be replayed.
struct LearnerSaved {
  BanditNumber bandit = 0;
  std::string learner = {};
  std::vector<std::byte> knowledge = {};  ///< Population::Export
  /// JSON: its decisions that wait for rewards; empty if there are none, also
  /// where `knowledge` has some.
  std::string open = {};
  Sequence as_of = 0;  ///< includes all of its events up to this one
};

/// The learner is forgotten, with all that the store has of it, also in
/// snapshots.
struct LearnerForgotten {
  BanditNumber bandit = 0;
  std::string learner = {};
};

/// All learners whose events are at most this one are saved: replay begins
/// after it.
struct Checkpoint {
  BanditNumber bandit = 0;
  Sequence as_of = 0;
};

/// Arms and learners as they are in the tables at this point. The engine saves
/// all learners before.
struct SnapshotTaken {
  BanditNumber bandit = 0;
  std::string name = {};
  Time time = 0;
};

/// The tables become what they were, but learners have no open decisions.
/// Replay begins here.
struct SnapshotRestored {
  BanditNumber bandit = 0;
  std::string name = {};
  Time time = 0;
};

struct SnapshotDeleted {
  BanditNumber bandit = 0;
  std::string name = {};
};

// NOLINTEND(readability-redundant-member-init)

using Change = std::variant<BanditCreated, BanditChanged, BanditDeleted,
                            ArmsPut, ArmsRemoved, DecisionsMade, RewardRow,
                            LearnerSaved, LearnerForgotten, Checkpoint,
                            SnapshotTaken, SnapshotRestored, SnapshotDeleted>;

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_STORE_CHANGES_H_
