// What learners know, and what they learn or forget without a decision.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
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

LearnerKey KeyOf(const std::string& learner, const Limits& limits) {
  CheckText("learner", learner, limits.text);
  return learner;
}

}  // namespace

RewardAnswer ServedBandit::Observe(const std::string& learner,
                                   const std::optional<ArmName>& arm,
                                   std::vector<float> features,
                                   std::vector<float> context, double reward,
                                   const std::string& id) {
  State& state = *state_;
  CheckText("learner", learner, state.limits.text);
  CheckText("id", id, state.limits.text);
  if (arm.has_value() != features.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "either arm or features must be given");
  }
  state.CheckWritable();
  const State::World world(state.world);
  state.CheckWritable();
  RewardRow row{.bandit = state.number,
                .kind = RewardKind::kObserved,
                .learner = learner,
                .reward = reward,
                .id = id,
                .features = std::move(features),
                .context = std::move(context),
                .time = state.clock()};
  if (arm) {
    row.arm = state.arms->IdOf(*arm);
    row.arm_name = state.arms->TextOf(*row.arm);
    row.features = state.population->Features({&*row.arm, 1});
  }
  State::Turn turn(state, learner);
  const std::uint64_t hash = ServedLearners::HashOf(learner);
  ClaimedId claim(state.reward_ids, RewardIdOf(0, id), hash);
  if (claim.known()) {
    if (claim.known()->learner != hash) {
      throw Refused(
          Refusal::kConflict,
          fmt::format("observation {} is another learner's", Quoted(id)));
    }
    return {.durable_at = claim.known()->sequence, .reason = "repeated"};
  }
  ServedLearner& found = turn.FindOrAdd(learner);
  turn.Prepare(found);
  state.population->Observe(found.key, row.features, reward, row.context);
  State::Applying applying(state);
  const Sequence sequence = state.store.Append(std::move(row));
  turn.Count(found, sequence);
  claim.Keep(sequence);
  applying.Done();
  const std::scoped_lock lock(state.counters.mutex);
  ++state.counters.sums.observed;
  return {.durable_at = sequence, .learned = true};
}

// After a snapshot was restored, the store may have something of a learner that
// is not known here.
Sequence ServedBandit::ForgetLearner(const std::string& learner) {
  State& state = *state_;
  const LearnerKey key = KeyOf(learner, state.limits);
  state.CheckWritable();
  State::World world(state.world);
  state.CheckWritable();
  std::optional<State::Turn> turn(std::in_place, state, learner);
  ServedLearner* found = turn->Find(learner);
  State::Applying applying(state);
  if (found != nullptr) {
    for (const OpenDecision& decision : state.open.Of(*found)) {
      state.open.Remove(decision.sequence);
    }
    state.population->Forget(key);
    turn->Remove(*found);
  }
  const std::uint64_t hash = ServedLearners::HashOf(learner);
  state.events.EraseOf(hash);
  state.reward_ids.EraseOf(hash);
  const Sequence sequence = state.store.Append(
      LearnerForgotten{.bandit = state.number, .learner = learner});
  state.last_forgotten = sequence;
  applying.Done();
  if (found == nullptr) {
    // Whoever hears that it is not there must not find it after a crash.
    turn.reset();
    world.unlock();
    state.WaitFor(sequence);
    throw Error(ErrorCode::kUnknownId,
                "there is no learner " + Quoted(learner));
  }
  return sequence;
}

std::vector<std::string> ServedBandit::ListLearners(
    const std::optional<std::string>& after, std::size_t most) const {
  State& state = *state_;
  // The first ones so far, as a heap with the last of them in front.
  std::vector<std::string> first;
  if (most == 0) return first;
  for (std::uint32_t i = 0; i < ServedLearners::kStripes; ++i) {
    const State::World world = state.Read();
    ServedLearners::Stripe& stripe = state.learners.At(i);
    const std::scoped_lock lock(stripe.mutex);
    for (const auto& [name, learner] : stripe.learners) {
      if (after && name <= *after) continue;
      if (first.size() == most) {
        if (name >= first.front()) continue;
        std::ranges::pop_heap(first);
        first.pop_back();
      }
      first.emplace_back(name);
      std::ranges::push_heap(first);
    }
  }
  std::ranges::sort_heap(first);
  return first;
}

LearnerView ServedBandit::FindLearner(const std::string& learner) const {
  State& state = *state_;
  const LearnerKey key = KeyOf(learner, state.limits);
  const State::World world = state.Read();
  const State::Turn turn(state, learner);
  LearnerView view{.info = state.population->Describe(key)};
  if (const ServedLearner* found = turn.Find(learner)) {
    view.open = state.open.CountOf(*found);
  }
  return view;
}

std::vector<ArmView> ServedBandit::Predict(
    const std::string& learner, const std::vector<ArmName>& arms,
    std::size_t best, const std::vector<float>& context) const {
  const State& state = *state_;
  const LearnerKey key = KeyOf(learner, state.limits);
  std::vector<ArmId> ids;
  if (arms.empty()) ids = state.BestArms(key, best, context);
  const State::World world = state.Read();
  if (arms.empty()) {
    std::erase_if(ids,
                  [&](ArmId id) { return !state.population->Contains(id); });
  } else {
    ids = state.arms->IdsOf(arms);
  }
  const std::vector<double> expected =
      state.population->Scores(key, ids, context);
  const std::vector<double> uncertainty =
      state.population->Uncertainty(key, ids, context);
  std::vector<ArmView> views;
  views.reserve(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    views.push_back({.arm = state.arms->NameOf(ids[i]),
                     .expected = expected[i],
                     .uncertainty = uncertainty[i]});
  }
  return views;
}

// Of arms of which the same is expected, those with the smaller id. Arms may
// change in between: looking at all of them takes time.
std::vector<ArmId> ServedBandit::State::BestArms(
    const LearnerKey& key, std::size_t most,
    const std::vector<float>& context) const {
  constexpr std::size_t kAtOnce = 4096;
  using Scored = std::pair<double, ArmId>;  // with the sign reversed
  std::vector<Scored> best;
  for (std::uint64_t from = 0;; from += kAtOnce) {
    const World lock = Read();
    if (from >= arms->places()) break;
    const std::vector<ArmId> ids = arms->IdsBetween(from, kAtOnce);
    const std::vector<double> scores = population->Scores(key, ids, context);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      best.emplace_back(-scores[i], ids[i]);
    }
    if (best.size() > most) {
      const auto end = best.begin() + static_cast<std::ptrdiff_t>(most);
      std::ranges::nth_element(best, end);
      best.erase(end, best.end());
    }
  }
  std::ranges::sort(best);
  std::vector<ArmId> result;
  result.reserve(best.size());
  for (const auto& [score, id] : best) result.push_back(id);
  return result;
}

std::vector<double> ServedBandit::PredictFeatures(
    const std::string& learner, const std::vector<std::vector<float>>& rows,
    const std::vector<float>& context) const {
  const State& state = *state_;
  const LearnerKey key = KeyOf(learner, state.limits);
  const State::World world = state.Read();
  const std::size_t dim = state.population->dim();
  std::vector<float> all;
  all.reserve(rows.size() * dim);
  for (const std::vector<float>& row : rows) {
    CheckFeatures(row, dim);
    all.insert(all.end(), row.begin(), row.end());
  }
  return state.population->Predict(
      key,
      FeatureRows(all.data(), rows.size(), dim,
                  {.row = static_cast<std::ptrdiff_t>(dim)}),
      context);
}

}  // namespace manyarms::service
