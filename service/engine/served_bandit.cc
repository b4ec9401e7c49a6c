#include "service/engine/served_bandit.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "manyarms/error.h"
#include "service/engine/bandit_state.h"

namespace manyarms::service {

ServedBandit::ServedBandit(BanditNumber number, std::string name,
                           const Settings& settings, const Limits& limits,
                           Store& store, const std::function<Time()>& clock)
    : state_(std::make_unique<State>(number, std::move(name), settings, limits,
                                     store, clock)) {}
ServedBandit::~ServedBandit() = default;

const std::string& ServedBandit::name() const { return state_->name; }
BanditNumber ServedBandit::number() const { return state_->number; }
std::size_t ServedBandit::dim() const {
  return state_->settings.population.dim;
}

bool ServedBandit::named_arms() const { return state_->settings.named_arms; }
std::size_t ServedBandit::arms() const { return state_->arm_count; }

Settings ServedBandit::settings() const {
  const std::scoped_lock lock(state_->settings_mutex);
  return state_->settings;
}

bool ServedBandit::IsFree() const {
  return bool{State::World(state_->world, std::try_to_lock)};
}

// Decisions that were closed without a trace must not be open again after a
// restart with a longer wait, so what is open by the former settings is saved.
Sequence ServedBandit::Change(
    const std::function<Semantics(const Settings&)>& changed) {
  State& state = *state_;
  // Only who holds this changes semantics.
  const std::scoped_lock saving(state.saving);
  Semantics semantics;
  {
    const State::World world(state.world);
    state.CheckWritable();
    semantics = changed(state.settings);
    if (semantics == state.settings.semantics) {
      return state.store.last_appended();
    }
  }
  state.SaveLearners(/*all=*/true, /*has_world=*/false);
  const State::WholeWorld world(state.world);
  state.CheckWritable();
  while (state.ExpireSome(state.clock())) {
  }
  state.SaveLearners(/*all=*/true, /*has_world=*/true);
  Settings settings = state.settings;
  settings.semantics = semantics;
  const Sequence sequence = state.store.Append(
      BanditChanged{.bandit = state.number, .settings = ToJson(settings)});
  const std::scoped_lock lock(state.settings_mutex);
  state.settings.semantics = semantics;
  return sequence;
}

Sequence ServedBandit::Delete() {
  State& state = *state_;
  const std::scoped_lock saving(state.saving);
  const State::WholeWorld world(state.world);
  state.CheckWritable();
  const Sequence sequence =
      state.store.Append(BanditDeleted{.bandit = state.number});
  state.deleted = true;
  return sequence;
}

ServedBandit::PutResult ServedBandit::PutArms(std::vector<ArmInfo> arms,
                                              bool only_new) {
  State& state = *state_;
  state.CheckWritable();
  const State::WholeWorld world(state.world);
  state.CheckWritable();
  return state.UnlessMemoryRunsOut([&]() -> PutResult {
    ServedArms::Put put = state.arms->PutArms(std::move(arms), only_new);
    state.arm_count = state.arms->size();
    PutResult result{
        .durable_at = 0, .added = put.added, .changed = put.changed};
    if (put.change.arms.empty()) {
      result.durable_at = state.store.last_appended();
      return result;
    }
    put.change.time = state.clock();
    result.durable_at = state.store.Append(std::move(put.change));
    return result;
  });
}

void ServedBandit::CheckArm(const ArmInfo& arm) const {
  const State& state = *state_;
  state.CheckNotRestoring();
  ServedArms::Check(arm, state.settings.named_arms,
                    state.settings.population.dim, state.limits);
}

Sequence ServedBandit::RemoveArms(const std::vector<ArmName>& arms) {
  State& state = *state_;
  state.CheckWritable();
  const State::WholeWorld world(state.world);
  state.CheckWritable();
  return state.UnlessMemoryRunsOut([&]() -> Sequence {
    ArmsRemoved change = state.arms->RemoveArms(arms);
    state.arm_count = state.arms->size();
    if (change.arms.empty()) return state.store.last_appended();
    change.time = state.clock();
    return state.store.Append(std::move(change));
  });
}

ServedBandit::Page ServedBandit::ListArms(std::uint64_t from,
                                          std::size_t most) const {
  const State::World world = state_->Read();
  auto [arms, next] = state_->arms->List(from, most);
  return {.arms = std::move(arms), .next = next};
}

ArmInfo ServedBandit::FindArm(const ArmName& arm) const {
  const State::World world = state_->Read();
  return state_->arms->Find(arm);
}

std::vector<std::pair<std::string, std::uint64_t>> ServedBandit::Tags() const {
  const State::World world = state_->Read();
  return state_->arms->Tags();
}

std::optional<Time> ServedBandit::OldestOpen() const {
  return state_->open.OldestTime();
}

BanditStats ServedBandit::stats() const {
  const State& state = *state_;
  BanditStats stats;
  {
    const State::World world(state.world, std::try_to_lock);
    std::optional<PopulationStats> population;
    if (world) population = state.population->stats();
    const std::scoped_lock lock(state.counters.mutex);
    if (population) state.counters.sums.population = *population;
    stats = state.counters.sums;
  }
  stats.arms = state.arm_count;
  stats.learners = state.learners.size();
  stats.open_decisions = state.open.size();
  return stats;
}

}  // namespace manyarms::service
