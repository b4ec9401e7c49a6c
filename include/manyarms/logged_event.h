#ifndef MANYARMS_LOGGED_EVENT_H_
#define MANYARMS_LOGGED_EVENT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "manyarms/bandit.h"
#include "manyarms/learner_key.h"
#include "manyarms/population.h"
#include "manyarms/rewards.h"
#include "manyarms/types.h"

/// What a log consists of (docs/log.md).
namespace manyarms {

/// The number of the newest format.
inline constexpr std::uint64_t kLogFormat = 1;

/// A line has at most this number of bytes, without its end.
inline constexpr std::size_t kMaxLogLine = std::size_t{1} << 20;

/// The first line of a log: whose events follow, as far as readers need it.
struct LogHeader {
  /// Whether events belong to learners: each of them names one, or none does.
  bool population = false;
  std::size_t dim = 0;
  std::size_t context_dim = 0;
  bool context_constants = true;
  std::string policy = "ts";
  std::string search = "certified";
  std::optional<double> exploration =
      std::nullopt;  ///< none if it is by theory
  double regularisation = 1;
  bool negative_rewards = false;
  RewardModel rewards = RewardModel::kLinear;
  double forgetting = 1;
  std::uint64_t seed = 1;

  static LogHeader Of(const BanditOptions& options);
  static LogHeader Of(const PopulationOptions& options);

  bool operator==(const LogHeader&) const = default;
};

/// An arm by its number or by its name. All arms of a log are of one kind.
using LoggedArm = std::variant<ArmId, std::string>;

// NOLINTBEGIN(readability-redundant-member-init): g++ warns without them.
struct LoggedDecision {
  DecisionId id = 0;
  std::optional<LearnerKey> learner = std::nullopt;
  LoggedArm arm = {};
  std::vector<float> features =
      {};                           ///< the arm's at the moment of the decision
  std::vector<float> context = {};  ///< empty without contexts
  double score = 0;
  std::uint64_t eligible = 0;  ///< the number of eligible arms; 0: not known
  /// Whether the arm was drawn uniformly among the eligible ones.
  bool uniform = false;
  /// The probability with which the arm was chosen, if it is known. Evaluation
  /// divides by it: Bandit::LoggingProbability, not a share of draws.
  std::optional<double> probability = std::nullopt;
  std::string policy = {};  ///< that chose; empty: the header's
  std::optional<double> time = std::nullopt;  ///< the caller's, in any unit

  bool operator==(const LoggedDecision&) const = default;
};

struct LoggedReward {
  DecisionId decision = 0;
  std::optional<LearnerKey> learner = std::nullopt;
  double reward = 0;
  std::optional<double> time = std::nullopt;

  bool operator==(const LoggedReward&) const = default;
};

/// A reward that belongs to no decision.
struct LoggedObservation {
  std::optional<LearnerKey> learner = std::nullopt;
  std::optional<LoggedArm> arm =
      std::nullopt;  ///< none if only features are known
  std::vector<float> features = {};
  std::vector<float> context = {};
  double reward = 0;
  std::optional<double> time = std::nullopt;

  bool operator==(const LoggedObservation&) const = default;
};

/// From here on the arm exists with these features, whether it is new or had
/// others before; or it is removed.
struct LoggedArmChange {
  LoggedArm arm = {};
  bool removed = false;
  std::vector<float> features = {};  ///< empty if it is removed
  std::optional<double> time = std::nullopt;

  bool operator==(const LoggedArmChange&) const = default;
};

// NOLINTEND(readability-redundant-member-init)

using LogEvent = std::variant<LoggedDecision, LoggedReward, LoggedObservation,
                              LoggedArmChange>;

}  // namespace manyarms

#endif  // MANYARMS_LOGGED_EVENT_H_
