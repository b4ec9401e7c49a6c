#include "log/logged_ids.h"

#include <map>
#include <set>
#include <utility>

#include "manyarms/random.h"
#include "testing.h"

namespace manyarms {
namespace {

std::optional<ErrorCode> CodeOf(const LoggedIds& ids, const LogEvent& event) {
  try {
    ids.Check(event);
  } catch (const Error& error) {
    return error.code();
  }
  return std::nullopt;
}

// The slow way is a set of all decisions and one of all that have a reward.
TEST(LoggedIds, AreThoseOfASlowSet) {
  using Key = std::pair<LearnerKey, DecisionId>;
  LoggedIds ids;
  std::set<Key> decisions;
  std::set<Key> rewarded;
  std::map<std::optional<ErrorCode>, int> outcomes;
  RandomStream random(1, RandomStream::Role::kVisit, 0);
  for (int i = 0; i < 5000; ++i) {
    const LearnerKey learner =
        random.Below(2) == 0 ? LearnerKey(random.Below(3)) : LearnerKey("1");
    const DecisionId id = random.Below(400);
    const Key key(learner, id);
    std::optional<ErrorCode> expected;
    LogEvent event;
    if (random.Below(2) == 0) {
      event = LoggedDecision{.id = id, .learner = learner};
      if (!decisions.insert(key).second) expected = ErrorCode::kDuplicateId;
    } else {
      event = LoggedReward{.decision = id, .learner = learner};
      if (!decisions.contains(key) || !rewarded.insert(key).second) {
        expected = ErrorCode::kUnknownId;
      }
    }
    ASSERT_EQ(CodeOf(ids, event), expected);
    if (!expected) ids.Add(event);
    ++outcomes[expected];
  }
  EXPECT_EQ(outcomes.size(), 3);
  for (const auto& [code, count] : outcomes) EXPECT_GT(count, 100);
}

TEST(LoggedIds, LetOtherEventsBe) {
  const LoggedIds ids;
  EXPECT_FALSE(CodeOf(ids, LoggedObservation{}).has_value());
  EXPECT_FALSE(CodeOf(ids, LoggedArmChange{}).has_value());
}

}  // namespace
}  // namespace manyarms
