#include "log/logged_ids.h"

#include <fmt/format.h>

#include "manyarms/error.h"

namespace manyarms {
namespace {

const LearnerKey& KeyOf(const std::optional<LearnerKey>& learner) {
  static const LearnerKey only = std::uint64_t{0};
  return learner ? *learner : only;
}

}  // namespace

void LoggedIds::Check(const LogEvent& event) const {
  if (const auto* decision = std::get_if<LoggedDecision>(&event)) {
    const OfLearner* ids = Find(decision->learner);
    if (ids != nullptr && ids->decisions.Contains(decision->id)) {
      throw Error(ErrorCode::kDuplicateId,
                  fmt::format("decision {} is in the log already (a bandit "
                              "that begins anew needs a new log)",
                              decision->id));
    }
  } else if (const auto* reward = std::get_if<LoggedReward>(&event)) {
    const OfLearner* ids = Find(reward->learner);
    if (ids == nullptr || !ids->decisions.Contains(reward->decision)) {
      throw Error(ErrorCode::kUnknownId,
                  fmt::format("there is no decision {} in the log, so its "
                              "reward cannot be written",
                              reward->decision));
    }
    if (ids->rewarded.Contains(reward->decision)) {
      throw Error(ErrorCode::kUnknownId,
                  fmt::format("decision {} has a reward in the log already",
                              reward->decision));
    }
  }
}

void LoggedIds::Add(const LogEvent& event) {
  if (const auto* decision = std::get_if<LoggedDecision>(&event)) {
    At(decision->learner).decisions.Insert(decision->id);
  } else if (const auto* reward = std::get_if<LoggedReward>(&event)) {
    At(reward->learner).rewarded.Insert(reward->decision);
  }
}

const LoggedIds::OfLearner* LoggedIds::Find(
    const std::optional<LearnerKey>& learner) const {
  const auto found = learners_.find(KeyOf(learner));
  return found == learners_.end() ? nullptr : &found->second;
}

LoggedIds::OfLearner& LoggedIds::At(const std::optional<LearnerKey>& learner) {
  return learners_[KeyOf(learner)];
}

}  // namespace manyarms
