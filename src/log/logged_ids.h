#ifndef MANYARMS_LOG_LOGGED_IDS_H_
#define MANYARMS_LOG_LOGGED_IDS_H_

#include <unordered_map>

#include "log/id_intervals.h"
#include "manyarms/learner_key.h"
#include "manyarms/logged_event.h"
#include "population/key_hash.h"

namespace manyarms {

/// The decisions of a log, and which of them have their reward. It takes some
/// bytes for each learner and for each gap in the numbers of the decisions and
/// in those of the rewarded ones.
class LoggedIds {
 public:
  /// Throws Error(kDuplicateId) for a decision that is there, and
  /// Error(kUnknownId) for a reward of one that is not there or has its reward.
  void Check(const LogEvent& event) const;

  /// REQUIRES: Check(event) does not throw.
  void Add(const LogEvent& event);

 private:
  struct OfLearner {
    IdIntervals decisions;
    IdIntervals rewarded;
  };
  const OfLearner* Find(const std::optional<LearnerKey>& learner) const;
  OfLearner& At(const std::optional<LearnerKey>& learner);

  std::unordered_map<LearnerKey, OfLearner, KeyHash> learners_;
};

}  // namespace manyarms

#endif  // MANYARMS_LOG_LOGGED_IDS_H_
