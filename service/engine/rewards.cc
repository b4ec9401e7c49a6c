// What comes for decisions: rewards, activations and dismissals.

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "manyarms/error.h"
#include "service/engine/bandit_state.h"
#include "service/engine/claimed_id.h"
#include "service/engine/names.h"

namespace manyarms::service {
namespace {

[[noreturn]] void FailUnknown(Sequence decision) {
  throw Refused(Refusal::kNotFound,
                fmt::format("there is no decision {}", decision));
}

}  // namespace

std::string RewardIdOf(Sequence decision, const std::string& id) {
  return id.empty() ? id : fmt::format("{}:{}", decision, id);
}

// Its number, or that of the event's only decision. An event that is not
// remembered any more is looked up when the store has caught up: until then its
// rows, or those of learners that are forgotten, may be missing or still there.
Sequence ServedBandit::State::DecisionOf(Sequence decision,
                                         const std::string& event,
                                         Sequence as_of) const {
  if (decision != 0) return decision;
  if (event.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "decision is missing, and so is event");
  }
  CheckText("event", event, limits.text);
  const auto check = [&](std::size_t count) {
    if (count == 0) {
      throw Refused(Refusal::kNotFound,
                    fmt::format("there is no event {}", Quoted(event)));
    }
    if (count > 1) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("event {} has {} decisions: say which one",
                              Quoted(event), count));
    }
  };
  const std::optional<AnsweredEvent> known = events.Find(event);
  if (known && known->first != 0) {
    check(known->count);
    return known->first;
  }
  WaitFor(as_of != 0 ? as_of : store.last_appended());
  const std::vector<DecisionRow> rows = store.FindEvent(number, event);
  check(rows.size());
  return rows.front().sequence;
}

// A decision that is not open, if it is there; otherwise it is refused.
std::vector<DecisionRow> ServedBandit::State::FindOnDisk(
    Sequence decision) const {
  if (decision > store.last_appended()) FailUnknown(decision);
  WaitFor(std::max<Sequence>(decision, last_forgotten));
  std::vector<DecisionRow> rows = store.FindDecisions(number, decision, 1);
  if (rows.empty()) FailUnknown(decision);
  return rows;
}

void ServedBandit::State::Learn(const OpenDecision& decision, double reward) {
  const ServedLearner& learner = *decision.learner;
  population->Learn(learner.key, learner.id_bits | decision.number, reward);
  const std::scoped_lock lock(counters.mutex);
  ++counters.sums.rewards;
  if (decision.chooser == Chooser::kCaller) return;
  BanditStats::Moments& moments = decision.chooser == Chooser::kUniform
                                      ? counters.sums.uniform
                                      : counters.sums.policy;
  ++moments.count;
  moments.sum += reward;
  moments.squares += reward * reward;
}

// REQUIRES: Prepare(*decision.learner).
Sequence ServedBandit::State::AppendReward(Turn& turn,
                                           const OpenDecision& decision,
                                           RewardKind kind, double reward,
                                           const std::string& id) {
  const Sequence sequence =
      store.Append(RewardRow{.bandit = number,
                             .kind = kind,
                             .decision = decision.sequence,
                             .learner = decision.learner->name(),
                             .reward = reward,
                             .id = id,
                             .time = clock()});
  turn.Count(*decision.learner, sequence);
  return sequence;
}

namespace {

// Calls use(decision, turn) if the decision waits for its reward, while nobody
// else can change it. Returns whether it does.
template <class State, class Use>
bool WithOpen(State& state, Sequence decision, const Use& use) {
  state.CheckNotRestoring();
  const typename State::World world(state.world);
  state.CheckNotDeleted();
  const auto stripe = state.open.StripeOf(decision);
  if (!stripe) return false;
  typename State::Turn turn(state, *stripe);
  const std::optional<OpenDecision> found = state.open.Find(decision);
  if (!found || state.IsOver(*found, state.clock())) return false;
  use(*found, turn);
  return true;
}

}  // namespace

bool ServedBandit::IsOpen(Sequence decision, const std::string& event) const {
  const State& state = *state_;
  if (decision == 0) {
    const std::optional<AnsweredEvent> known = state.events.Find(event);
    if (!known) return false;
    decision = known->first;
  }
  const State::World world(state.world, std::try_to_lock);
  if (!world) return false;
  const std::optional<OpenDecision> found = state.open.Find(decision);
  return found && !state.IsOver(*found, state.clock());
}

RewardAnswer ServedBandit::Reward(const RewardRequest& request) {
  State& state = *state_;
  CheckText("id", request.id, state.limits.text);
  CheckReward(request.reward, state.settings.population.rewards);
  const Sequence decision =
      state.DecisionOf(request.decision, request.event, request.as_of);
  RewardAnswer answer;
  if (WithOpen(state, decision,
               [&](const OpenDecision& found, State::Turn& turn) {
                 answer = state.RewardOpen(request, found, turn);
               })) {
    return answer;
  }
  return state.RewardClosed(request, decision);
}

RewardAnswer ServedBandit::State::RewardOpen(const RewardRequest& request,
                                             const OpenDecision& decision,
                                             Turn& turn) {
  RewardAnswer answer{.decision = decision.sequence};
  ClaimedId claim(reward_ids, RewardIdOf(decision.sequence, request.id),
                  decision.learner->hash);
  if (claim.known()) {
    answer.durable_at = claim.known()->sequence;
    answer.reason = "repeated";
    return answer;
  }
  CheckWritable();
  turn.Prepare(*decision.learner);
  const bool is_part = settings.semantics.aggregation != Aggregation::kFirst ||
                       open.PartsOf(decision.sequence).has_value();
  Applying applying(*this);
  if (is_part) {
    open.AddPart(decision.sequence, request.reward);
    answer.reason = "waiting";
  } else {
    Learn(decision, request.reward);
    open.Remove(decision.sequence);
    answer.learned = true;
  }
  answer.durable_at = AppendReward(
      turn, decision, is_part ? RewardKind::kPart : RewardKind::kLearned,
      request.reward, request.id);
  claim.Keep(answer.durable_at);
  applying.Done();
  return answer;
}

// It is written down, but not learned. The learner may be forgotten meanwhile.
RewardAnswer ServedBandit::State::RewardClosed(const RewardRequest& request,
                                               Sequence decision) {
  RewardAnswer answer{.decision = decision};
  const std::string id = RewardIdOf(decision, request.id);
  const auto repeated = [&](Sequence sequence) {
    answer.durable_at = sequence;
    answer.reason = "repeated";
    return answer;
  };
  // One that is being learned may still be refused: its turn is waited for.
  const std::optional<RewardWithId> written = reward_ids.Find(id);
  if (written && written->sequence != 0) return repeated(written->sequence);
  for (;;) {
    const Sequence forgotten = last_forgotten;
    const DecisionRow row = FindOnDisk(decision).front();
    CheckNotRestoring();
    const World lock(world);
    const Turn turn(*this, row.learner);
    if (last_forgotten != forgotten) continue;
    ClaimedId claim(reward_ids, id, ServedLearners::HashOf(row.learner));
    if (claim.known()) return repeated(claim.known()->sequence);
    CheckWritable();
    answer.durable_at = store.Append(RewardRow{.bandit = number,
                                               .kind = RewardKind::kLate,
                                               .decision = decision,
                                               .learner = row.learner,
                                               .reward = request.reward,
                                               .id = request.id,
                                               .time = clock()});
    claim.Keep(answer.durable_at);
    answer.reason = "late";
    const std::scoped_lock counting(counters.mutex);
    ++counters.sums.late_rewards;
    return answer;
  }
}

RewardAnswer ServedBandit::Activate(Sequence decision,
                                    const std::string& event) {
  State& state = *state_;
  RewardAnswer answer{.decision = state.DecisionOf(decision, event)};
  if (WithOpen(state, answer.decision,
               [&](const OpenDecision& found, State::Turn& turn) {
                 if (found.active) {
                   answer.durable_at = state.store.last_appended();
                   answer.reason = "repeated";
                   return;
                 }
                 state.CheckWritable();
                 turn.Prepare(*found.learner);
                 State::Applying applying(state);
                 state.open.Activate(found.sequence);
                 answer.durable_at = state.AppendReward(
                     turn, found, RewardKind::kActivated, 0, "");
                 answer.reason = "activated";
                 applying.Done();
               })) {
    return answer;
  }
  state.FindOnDisk(answer.decision);
  answer.reason = "late";
  return answer;
}

RewardAnswer ServedBandit::Dismiss(Sequence decision,
                                   const std::string& event) {
  State& state = *state_;
  RewardAnswer answer{.decision = state.DecisionOf(decision, event)};
  if (WithOpen(state, answer.decision,
               [&](const OpenDecision& found, State::Turn& turn) {
                 state.CheckWritable();
                 turn.Prepare(*found.learner);
                 State::Applying applying(state);
                 state.population->Dismiss(
                     found.learner->key, found.learner->id_bits | found.number);
                 state.open.Remove(found.sequence);
                 answer.durable_at = state.AppendReward(
                     turn, found, RewardKind::kDismissed, 0, "");
                 answer.reason = "dismissed";
                 applying.Done();
               })) {
    const std::scoped_lock lock(state.counters.mutex);
    ++state.counters.sums.dismissed;
    return answer;
  }
  state.FindOnDisk(answer.decision);
  answer.reason = "late";
  return answer;
}

}  // namespace manyarms::service
