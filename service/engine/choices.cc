// Choosing arms.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "manyarms/error.h"
#include "service/engine/bandit_state.h"
#include "service/engine/names.h"

namespace manyarms::service {
namespace {

// A choice takes some microseconds if no more arms are given and wanted.
constexpr std::size_t kFewArms = 1'000;
constexpr std::size_t kShortSlate = 100;

void Check(const ChoiceRequest& request, const Limits& limits) {
  CheckText("learner", request.learner, limits.text);
  CheckText("event", request.event, limits.text);
  CheckCount("count", request.count, 1, limits.slate);
  if (!request.arms.empty() && !request.tags.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "arms and tags are given: give one of them");
  }
}

// The arms that are eligible for a choice. It refers to what it keeps.
class Wanted {
 public:
  Wanted(const ServedArms& arms, const ChoiceRequest& request)
      : arms_(arms), ids_(arms.DistinctIdsOf(request.arms)) {
    if (!request.tags.empty()) places_ = arms.PlacesOf(request.tags);
  }

  Eligible eligible() const {
    if (places_ != nullptr) return EligiblePlaces{.lanes = *places_};
    if (!ids_.empty()) return std::span<const ArmId>(ids_);
    return {};
  }

  bool Includes(const ArmName& arm) const {
    if (places_ != nullptr) return arms_.IsIn(*places_, arm);
    const ArmId id = arms_.IdOf(arm);
    return ids_.empty() || std::ranges::find(ids_, id) != ids_.end();
  }

  // How many decisions the choice will make among this number of arms.
  std::size_t HowMany(const ChoiceRequest& request, std::size_t arms) const {
    if (places_ != nullptr) {
      arms = 0;
      for (const std::uint16_t lane : *places_) {
        if (arms >= request.count) break;
        arms += static_cast<std::size_t>(std::popcount(lane));
      }
    } else if (!ids_.empty()) {
      arms = ids_.size();
    }
    return std::min<std::size_t>(request.slate ? request.count : 1, arms);
  }

 private:
  const ServedArms& arms_;
  std::vector<ArmId> ids_;
  std::shared_ptr<const std::vector<std::uint16_t>> places_;
};

// The id of an event, which is forgotten again unless there is an answer.
class Claim {
 public:
  Claim(Remembered<AnsweredEvent>& events, const std::string& event)
      : events_(events), event_(event) {}
  ~Claim() {
    if (!event_.empty() && !kept_) events_.Erase(event_);
  }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  void Keep(const AnsweredEvent& answer) {
    if (!event_.empty()) events_.Set(event_, answer);
    kept_ = true;
  }

 private:
  Remembered<AnsweredEvent>& events_;
  const std::string& event_;
  bool kept_ = false;
};

}  // namespace

bool ServedBandit::IsShort(const ChoiceRequest& request) const {
  if (request.arms.size() > kFewArms || request.count > kShortSlate) {
    return false;
  }
  const State::World world(state_->world, std::try_to_lock);
  return world && state_->settings.semantics.probability_draws == 0;
}

// The learner's turn is held until the store has the decisions, so that they
// are made again in the same order.
ChoiceAnswer ServedBandit::Choose(const ChoiceRequest& request) {
  State& state = *state_;
  Check(request, state.limits);
  state.CheckNotRestoring();
  const State::World world(state.world);
  state.CheckNotDeleted();
  State::Turn turn(state, request.learner);
  const std::uint64_t learner = ServedLearners::HashOf(request.learner);
  if (!request.event.empty()) {
    const auto known =
        state.events.FindOrAdd(request.event, {.learner = learner});
    if (known) {
      if (known->learner != learner) {
        throw Refused(Refusal::kConflict,
                      fmt::format("event {} is another learner's",
                                  Quoted(request.event)));
      }
      const std::scoped_lock lock(state.counters.mutex);
      ++state.counters.sums.repeated_events;
      return {.first = known->first,
              .durable_at = known->first + known->count - 1,
              .count = known->count,
              .repeated = true};
    }
  }
  Claim claim(state.events, request.event);
  ChoiceAnswer answer = state.Choose(request, turn);
  claim.Keep(
      {.learner = learner, .first = answer.first, .count = answer.count});
  return answer;
}

namespace {

// What a choice is made of, from the answer of the population to the rows.
struct Making {
  const ChoiceRequest& request;
  const Settings& settings;
  const ServedArms& arms;
  Population& population;
  const LearnerKey& learner;

  std::vector<Decision> Decide(const Eligible& eligible) const {
    if (request.slate) {
      return population.ChooseBest(learner, request.count, eligible,
                                   request.context);
    }
    return {population.Choose(learner, eligible, request.context)};
  }

  // Of the first one: others are not the best of a draw.
  std::optional<double> ProbabilityOf(const Decision& first,
                                      const Eligible& eligible) const {
    const std::uint64_t draws = settings.semantics.probability_draws;
    if (draws == 0) return std::nullopt;
    return population.LoggingProbability(learner, first.id, draws, eligible);
  }

  std::vector<DecisionRow> RowsOf(const std::vector<Decision>& decisions,
                                  std::optional<double> probability) const {
    std::vector<ArmId> ids;
    ids.reserve(decisions.size());
    for (const Decision& decision : decisions) ids.push_back(decision.arm);
    const std::vector<float> features = population.Features(ids);
    const std::size_t dim = population.dim();
    std::vector<DecisionRow> rows(decisions.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      DecisionRow& row = rows[i];
      const Decision& decision = decisions[i];
      Describe(decision, row);
      row.rank = static_cast<std::uint32_t>(i);
      row.slate = static_cast<std::uint32_t>(rows.size());
      const auto from = features.begin() + static_cast<std::ptrdiff_t>(i * dim);
      row.features.assign(from, from + static_cast<std::ptrdiff_t>(dim));
      row.score = decision.score;
      row.uniform = decision.uniform;
      if (i == 0) row.probability = probability;
      if (!probability && decision.uniform) {
        row.probability = 1 / static_cast<double>(decision.eligible);
      }
    }
    return rows;
  }

  // The row of a decision in whose place the caller has chosen.
  std::vector<DecisionRow> RowOf(const Decision& decision, ArmId own) const {
    std::vector<DecisionRow> rows(1);
    DecisionRow& row = rows.front();
    Describe(decision, row);
    row.arm = own;
    row.arm_name = arms.TextOf(own);
    row.features = population.Features({&own, 1});
    row.policy_arm = decision.arm;
    row.policy_arm_name = arms.TextOf(decision.arm);
    return rows;
  }

 private:
  void Describe(const Decision& decision, DecisionRow& row) const {
    row.learner = request.learner;
    row.number = decision.id & ((std::uint64_t{1} << 40) - 1);
    row.arm = decision.arm;
    row.arm_name = arms.TextOf(decision.arm);
    row.context = request.context;
    row.eligible = decision.eligible;
    row.event = request.event;
    row.active = request.active;
  }
};

// Requests are checked alike in both modes: whoever sends own_arm may go on
// doing so when the mode changes.
std::optional<ArmId> OwnArmOf(const ChoiceRequest& request, Mode mode,
                              const ServedArms& arms, const Wanted& wanted) {
  if (request.own_arm && !wanted.Includes(*request.own_arm)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("own_arm is {}, which is not eligible",
                            ToString(*request.own_arm)));
  }
  if (mode == Mode::kServe) return std::nullopt;
  if (!request.own_arm) {
    throw Error(ErrorCode::kInvalidArgument,
                "own_arm is missing: in apprentice mode it is the answer");
  }
  if (request.slate && request.count != 1) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("count is {}, in apprentice mode it must be 1",
                            request.count));
  }
  return arms.IdOf(*request.own_arm);
}

}  // namespace

ChoiceAnswer ServedBandit::State::Choose(const ChoiceRequest& request,
                                         Turn& turn) {
  CheckWritable();
  const Wanted wanted(*arms, request);
  const Eligible eligible = wanted.eligible();
  const std::optional<ArmId> own =
      OwnArmOf(request, settings.semantics.mode, *arms, wanted);
  OpenDecisions::Room room = open.MakeRoom(
      std::min<std::size_t>(request.count, std::max(arms->size(), 1UL)),
      limits.open_decisions);
  ServedLearner& learner = turn.FindOrAdd(request.learner);
  turn.Prepare(learner);
  const Making making{request, settings, *arms, *population, learner.key};
  if (request.context.size() == settings.population.context_dim) {
    SettleTooOld(learner, wanted.HowMany(request, arms->size()), turn);
  }

  const std::vector<Decision> decisions =
      UnlessMemoryRunsOut([&] { return making.Decide(eligible); });
  Applying applying(*this);
  DecisionsMade made;
  if (own) {
    population->Reassign(learner.key, decisions.front().id, *own);
    made.decisions = making.RowOf(decisions.front(), *own);
  } else {
    made.decisions = making.RowsOf(
        decisions, making.ProbabilityOf(decisions.front(), eligible));
  }
  const Time now = clock();
  for (DecisionRow& row : made.decisions) {
    row.bandit = number;
    row.time = now;
  }
  ChoiceAnswer answer{.decisions = made.decisions};
  answer.count = static_cast<std::uint32_t>(made.decisions.size());
  answer.first = store.Append(std::move(made));
  answer.durable_at = answer.first + answer.count - 1;
  learner.id_bits = decisions.front().id - answer.decisions.front().number;
  for (std::uint32_t i = 0; i < answer.count; ++i) {
    DecisionRow& row = answer.decisions[i];
    row.sequence = answer.first + i;
    room.Add({.sequence = row.sequence,
              .time = now,
              .number = row.number,
              .learner = &learner,
              .chooser = ChooserOf(row),
              .active = row.active});
  }
  DropTooOld(learner, answer.decisions.back().number);
  turn.Count(learner, answer.first);
  applying.Done();

  const std::scoped_lock lock(counters.mutex);
  ++counters.sums.choices;
  if (own && !decisions.front().uniform) {
    ++counters.sums.compared;
    if (decisions.front().arm == *own) ++counters.sums.agreed;
  }
  return answer;
}

Chooser ServedBandit::State::ChooserOf(const DecisionRow& row) {
  if (row.policy_arm) return Chooser::kCaller;
  return row.uniform ? Chooser::kUniform : Chooser::kPolicy;
}

// The population keeps the latest max_pending decisions of a learner. Those
// that are dropped here had nothing to be learned (SettleTooOld).
void ServedBandit::State::DropTooOld(const ServedLearner& learner,
                                     std::uint64_t newest) {
  const std::size_t most = settings.population.max_pending;
  if (newest <= most) return;
  for (auto oldest = open.OldestOf(learner);
       oldest && oldest->number <= newest - most;
       oldest = open.OldestOf(learner)) {
    open.Remove(oldest->sequence);
  }
}

std::vector<DecisionRow> ServedBandit::Recall(Sequence first,
                                              std::uint32_t count) const {
  std::vector<DecisionRow> decisions =
      state_->store.FindDecisions(state_->number, first, count);
  std::ranges::sort(decisions, {}, &DecisionRow::sequence);
  return decisions;
}

ArmName ServedBandit::NameOf(const DecisionRow& row) {
  if (row.arm_name.empty()) return row.arm;
  return row.arm_name;
}

}  // namespace manyarms::service
