// Decisions whose wait for a reward is over.

#include <algorithm>

#include "manyarms/types.h"
#include "service/engine/bandit_state.h"

namespace manyarms::service {
namespace {

constexpr std::size_t kAtOnce = 256;

// What is learned of several rewards. Sums may leave the bounds of rewards, of
// which they are kept within.
double Aggregated(const RewardParts& parts, const Settings& settings) {
  switch (settings.semantics.aggregation) {
    case Aggregation::kFirst:
      return parts.first;
    case Aggregation::kLast:
      return parts.last;
    case Aggregation::kSum:
      break;
  }
  const bool clicks = settings.population.rewards == RewardModel::kClicks;
  return std::clamp(parts.sum, clicks ? 0 : -kMaxReward,
                    clicks ? 1 : kMaxReward);
}

}  // namespace

void ServedBandit::Expire(Time now) {
  State& state = *state_;
  if (state.restoring != 0) state.FinishRestoring();
  for (bool is_more = true; is_more;) {
    const State::World world(state.world);
    is_more = state.CanWrite() && state.ExpireSome(now);
  }
}

bool ServedBandit::State::ExpireSome(Time now) {
  // The check of each decision counts; this one may differ by rounding.
  const auto due =
      open.MadeUntil(now - settings.semantics.reward_wait + 1e-3, now, kAtOnce);
  bool is_more = false;
  for (const auto& [decision, stripe] : due) {
    Turn turn(*this, stripe);
    if (ExpireOne(decision, now, turn)) is_more = due.size() == kAtOnce;
  }
  return is_more;
}

bool ServedBandit::State::ExpireOne(Sequence decision, Time now, Turn& turn) {
  const std::optional<OpenDecision> found = open.Find(decision);
  if (!found || !IsOver(*found, now)) return false;
  turn.Prepare(*found->learner);
  Settle(*found, turn);
  return true;
}

// REQUIRES: Prepare(*decision.learner).
void ServedBandit::State::Settle(const OpenDecision& decision, Turn& turn) {
  ServedLearner& learner = *decision.learner;
  const std::optional<RewardParts> parts = open.PartsOf(decision.sequence);
  const std::optional<double> missing = settings.semantics.default_reward;
  Applying applying(*this);
  open.Remove(decision.sequence);
  if (parts) {
    const double reward = Aggregated(*parts, settings);
    Learn(decision, reward);
    AppendReward(turn, decision, RewardKind::kLearned, reward, "");
  } else if (decision.active && missing) {
    Learn(decision, *missing);
    AppendReward(turn, decision, RewardKind::kDefault, *missing, "");
    const std::scoped_lock lock(counters.mutex);
    ++counters.sums.default_rewards;
  } else {
    // Nothing is written: whoever restores it closes it again.
    population->Dismiss(learner.key, learner.id_bits | decision.number);
    learner.has_changed = true;
  }
  applying.Done();
}

// What was acknowledged for decisions that `further` new ones push out of the
// latest max_pending is learned, before the new ones are made: so it is written
// first, and replayed first. Decisions for which nothing is learned are left to
// DropTooOld. REQUIRES: Prepare(learner).
void ServedBandit::State::SettleTooOld(ServedLearner& learner,
                                       std::size_t further, Turn& turn) {
  const std::size_t most = settings.population.max_pending;
  if (further > most) return;  // the choice is refused
  const std::vector<OpenDecision> oldest = open.Of(learner, further);
  if (oldest.empty()) return;
  const std::uint64_t newest =
      population->Describe(learner.key).decisions + further;
  for (const OpenDecision& decision : oldest) {
    if (decision.number + most > newest) return;
    if (open.PartsOf(decision.sequence) ||
        (decision.active && settings.semantics.default_reward)) {
      Settle(decision, turn);
    }
  }
}

}  // namespace manyarms::service
