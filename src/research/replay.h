#ifndef MANYARMS_RESEARCH_REPLAY_H_
#define MANYARMS_RESEARCH_REPLAY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "log/past_events.h"
#include "manyarms/bandit.h"
#include "manyarms/names.h"
#include "manyarms/population.h"
#include "research/progressive_score.h"

namespace manyarms {

/// A bandit or a population that learns from past events, and the names of its
/// arms if they have any.
struct Pupil {
  std::variant<Bandit, Population> learner;
  Names names;

  std::size_t arms() const;
};

struct LearningResult {
  ProgressiveScore score;
  std::uint64_t without_reward = 0;  ///< decisions of a log, left out
  std::uint64_t learners = 0;        ///< of a population
  double seconds = 0;
};

/// Lets the pupil learn from all events, in their order. Each reward is
/// predicted before it is learned. Arms that events bring along are added,
/// given their new features and removed as the events say; a reward that comes
/// late, with the features of back then, changes no arm. Calls
/// progress(share) now and then. Throws Error, which names the line.
LearningResult LearnFrom(PastEvents& events, Pupil& pupil,
                         const std::function<void(double)>& progress = {});

/// An arm with the reward that is expected of it.
struct ExpectedReward {
  ArmId arm = 0;
  double reward = 0;
};

/// The `count` arms of which most is expected, best first; of equal ones, that
/// with the smaller id. Of a bandit without contexts; otherwise there are none,
/// because each learner and each context has its own.
std::vector<ExpectedReward> BestArms(const Pupil& pupil, std::size_t count);

}  // namespace manyarms

#endif  // MANYARMS_RESEARCH_REPLAY_H_
