#ifndef MANYARMS_TESTS_RANDOM_EVENTS_H_
#define MANYARMS_TESTS_RANDOM_EVENTS_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "manyarms/context.h"
#include "manyarms/logged_event.h"
#include "manyarms/random.h"

namespace manyarms::testing {

/// Random events that a log with this header may have. Numbers have random
/// bits, so that all magnitudes occur, and texts have characters of all kinds.
class RandomEvents {
 public:
  RandomEvents(LogHeader header, bool named_arms, std::uint64_t seed)
      : header_(std::move(header)),
        named_arms_(named_arms),
        random_(seed, RandomStream::Role::kArm, 0) {}

  LogEvent Next() {
    switch (random_.Below(4)) {
      case 0:
        return Decision();
      case 1:
        return waiting_.empty() ? LogEvent(Decision()) : OneOfTheRewards();
      case 2:
        return LoggedObservation{Learner(),
                                 Half() ? std::optional(Arm()) : std::nullopt,
                                 Floats(header_.dim, kMaxFeature),
                                 Floats(header_.context_dim, kMaxContextValue),
                                 Reward(),
                                 Time()};
      default: {
        const bool removed = Half();
        return LoggedArmChange{
            Arm(), removed,
            removed ? std::vector<float>() : Floats(header_.dim, kMaxFeature),
            Time()};
      }
    }
  }

  LoggedDecision Decision() {
    LoggedDecision decision;
    decision.id = random_.Bits();
    decision.learner = Learner();
    decision.arm = Arm();
    decision.features = Floats(header_.dim, kMaxFeature);
    decision.context = Floats(header_.context_dim, kMaxContextValue);
    decision.score = Double();
    decision.eligible = Half() ? random_.Bits() : random_.Below(3);
    decision.uniform = Half();
    if (Half()) decision.probability = 1 - random_.Uniform();
    if (Half()) decision.policy = Text();
    decision.time = Time();
    waiting_.push_back({decision.id, decision.learner});
    return decision;
  }

  std::string Text() {
    static const std::vector<std::string> parts = {
        "a", "\"", "\\", "\n", std::string(1, '\0'), "\x1f", "\x7f", "é", "€",
        "𝄞", "/",  "{",  " ",  "\xef\xbf\xbf"};
    std::string text;
    for (std::uint64_t left = random_.Below(6); left > 0; --left) {
      text += parts[random_.Below(parts.size())];
    }
    return text;
  }

 private:
  // Of a decision that has none yet.
  LogEvent OneOfTheRewards() {
    LoggedReward reward = waiting_[random_.Below(waiting_.size())];
    std::erase_if(waiting_, [&](const LoggedReward& other) {
      return other.decision == reward.decision;
    });
    reward.reward = Reward();
    reward.time = Time();
    return reward;
  }

  bool Half() { return random_.Below(2) == 0; }

  double Double() {
    double value = 0;
    do {
      value = std::bit_cast<double>(random_.Bits());
    } while (!std::isfinite(value));
    return value;
  }
  double Reward() {
    if (header_.rewards == RewardModel::kClicks) return random_.Uniform();
    double value = 0;
    do {
      value = Double();
    } while (!(std::abs(value) <= kMaxReward));
    return value;
  }
  std::vector<float> Floats(std::size_t count, double most) {
    std::vector<float> values(count);
    for (float& value : values) {
      do {
        value =
            std::bit_cast<float>(static_cast<std::uint32_t>(random_.Bits()));
      } while (!(std::abs(value) <= most));
    }
    return values;
  }
  std::optional<double> Time() {
    return Half() ? std::optional(Double()) : std::nullopt;
  }
  LoggedArm Arm() {
    if (named_arms_) return Text();
    return random_.Bits();
  }
  std::optional<LearnerKey> Learner() {
    if (!header_.population) return std::nullopt;
    return Half() ? LearnerKey(random_.Bits()) : LearnerKey(Text());
  }

  const LogHeader header_;
  const bool named_arms_;
  RandomStream random_;
  std::vector<LoggedReward> waiting_;  // the rewards that may come
};

}  // namespace manyarms::testing

#endif  // MANYARMS_TESTS_RANDOM_EVENTS_H_
