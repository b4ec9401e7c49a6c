// Making the state that the store has.

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "manyarms/error.h"
#include "service/engine/bandit_state.h"
#include "service/engine/names.h"
#include "service/engine/open_text.h"

namespace manyarms::service {
namespace {

[[noreturn]] void FailCorrupt(const std::string& message) {
  throw Error(ErrorCode::kCorrupt, message);
}

// What is there is restored, even if limits are lower now.
constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

constexpr std::uint64_t kNumberMask = (std::uint64_t{1} << 40) - 1;

}  // namespace

void ServedBandit::Restore(Sequence checkpoint) {
  State& state = *state_;
  state.ReadAll(checkpoint);
  auto events = state.store.RecentEvents(state.number, state.limits.events);
  std::ranges::reverse(events);
  for (const auto& event : events) {
    state.events.FindOrAdd(event.event,
                           {.learner = ServedLearners::HashOf(event.learner),
                            .first = event.first,
                            .count = event.count});
  }
  auto rewards = state.store.RecentRewards(state.number, state.limits.events);
  std::ranges::reverse(rewards);
  for (const auto& reward : rewards) {
    state.reward_ids.FindOrAdd(
        RewardIdOf(reward.decision, reward.id),
        {.learner = ServedLearners::HashOf(reward.learner),
         .sequence = reward.sequence});
  }
}

void ServedBandit::State::ReadAll(Sequence checkpoint) {
  // Arms are taken while learners are: neither needs the other.
  auto all_arms = std::async([this] {
    arms->Restore(store.Places(number), [this](const ServedArms::Use& use) {
      store.ReadArms(number, use);
    });
  });
  store.ReadLearners(number,
                     [this](LearnerSaved&& saved) { Take(std::move(saved)); });
  all_arms.get();
  arm_count = arms->size();
  store.ReadEvents(number, checkpoint, [this](Store::Event&& event) {
    std::visit([this](const auto& one) { Replay(one); }, event);
  });
  open.Sort();
  last_checkpoint = checkpoint;
}

// Without a text its decisions are closed: a snapshot was restored.
void ServedBandit::State::Take(LearnerSaved&& saved) {
  Turn turn(*this, saved.learner);
  ServedLearner& learner = turn.FindOrBringBack(saved.learner);
  population->Import(learner.key, saved.knowledge);
  const SavedOpen before = ParseOpen(saved.open);
  if (before.decisions.empty()) population->DismissAll(learner.key);
  learner.id_bits = before.id_bits;
  learner.as_of = saved.as_of;
  OpenDecisions::Room room = open.MakeRoom(before.decisions.size(), kNoLimit);
  for (const SavedOpen::One& one : before.decisions) {
    OpenDecision decision = one.decision;
    decision.learner = &learner;
    room.Add(decision);
    if (one.parts) open.SetParts(decision.sequence, *one.parts);
  }
  turn.Keep();
}

void ServedBandit::State::Replay(const DecisionsMade& made) {
  const DecisionRow& first = made.decisions.front();
  Turn turn(*this, first.learner);
  ServedLearner& learner = turn.FindOrBringBack(first.learner);
  if (first.sequence <= learner.as_of) {
    turn.Keep();
    return;
  }
  std::vector<PastDecision> past;
  past.reserve(made.decisions.size());
  for (const DecisionRow& row : made.decisions) {
    past.push_back({.arm = row.arm,
                    .features = row.features,
                    .eligible = row.policy_arm ? 0 : row.eligible});
  }
  const std::vector<DecisionId> ids =
      population->Redo(learner.key, past, first.context);
  OpenDecisions::Room room = open.MakeRoom(ids.size(), kNoLimit);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const DecisionRow& row = made.decisions[i];
    const std::uint64_t at = ids[i] & kNumberMask;
    if (at != row.number) {
      FailCorrupt(fmt::format(
          "decision {} is number {} of learner {}, expected number {}",
          row.sequence, row.number, Quoted(row.learner), at));
    }
    learner.id_bits = ids[i] - at;
    room.Add({.sequence = row.sequence,
              .time = row.time,
              .number = at,
              .learner = &learner,
              .chooser = ChooserOf(row),
              .active = row.active});
  }
  DropTooOld(learner, made.decisions.back().number);
  turn.Prepare(learner);
  turn.Count(learner, first.sequence);
}

void ServedBandit::State::Replay(const RewardRow& row) {
  if (row.kind == RewardKind::kLate) return;
  Turn turn(*this, row.learner);
  ServedLearner& learner = turn.FindOrBringBack(row.learner);
  if (row.sequence <= learner.as_of) {
    turn.Keep();
    return;
  }
  if (row.kind == RewardKind::kObserved) {
    population->Observe(learner.key, row.features, row.reward, row.context);
  } else {
    const std::optional<OpenDecision> found = open.Find(row.decision);
    if (!found || found->learner != &learner) {
      FailCorrupt(fmt::format(
          "reward {} is for decision {} of learner {}, which does not wait for "
          "one",
          row.sequence, row.decision, Quoted(row.learner)));
    }
    ReplayOpen(row, *found);
  }
  turn.Prepare(learner);
  turn.Count(learner, row.sequence);
}

void ServedBandit::State::ReplayOpen(const RewardRow& row,
                                     const OpenDecision& decision) {
  const ServedLearner& learner = *decision.learner;
  const DecisionId id = learner.id_bits | decision.number;
  switch (row.kind) {
    case RewardKind::kPart:
      open.AddPart(decision.sequence, row.reward);
      return;
    case RewardKind::kActivated:
      open.Activate(decision.sequence);
      return;
    case RewardKind::kDismissed:
      population->Dismiss(learner.key, id);
      break;
    case RewardKind::kLearned:
    case RewardKind::kDefault:
      population->Learn(learner.key, id, row.reward);
      break;
    case RewardKind::kLate:
    case RewardKind::kObserved:
      return;
  }
  open.Remove(decision.sequence);
}

}  // namespace manyarms::service
