// Snapshots of arms and learners.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "manyarms/error.h"
#include "service/engine/bandit_state.h"
#include "service/engine/names.h"
#include "service/sql/database.h"

namespace manyarms::service {

// Names are those that the store has, so it must have caught up.
bool ServedBandit::State::HasSnapshot(const std::string& snapshot) const {
  CheckWritable();
  WaitFor(last_snapshot_change);
  const std::vector<SnapshotRow> rows = store.Snapshots(number);
  return std::ranges::count(rows, snapshot, &SnapshotRow::name) > 0;
}

Sequence ServedBandit::TakeSnapshot(const std::string& name) {
  State& state = *state_;
  CheckName("a snapshot's name", name, state.limits.text);
  const std::scoped_lock snapshots(state.snapshots);
  if (state.HasSnapshot(name)) {
    throw Refused(Refusal::kConflict,
                  fmt::format("snapshot {} is there already", Quoted(name)));
  }
  const std::scoped_lock saving(state.saving);
  // Most learners are saved while others go on.
  state.SaveLearners(/*all=*/true, /*has_world=*/false);
  const State::WholeWorld world(state.world);
  state.CheckWritable();
  state.SaveLearners(/*all=*/true, /*has_world=*/true);
  state.last_snapshot_change = state.store.Append(SnapshotTaken{
      .bandit = state.number, .name = name, .time = state.clock()});
  return state.last_snapshot_change;
}

Sequence ServedBandit::RestoreSnapshot(const std::string& name) {
  State& state = *state_;
  CheckName("a snapshot's name", name, state.limits.text);
  const std::scoped_lock snapshots(state.snapshots);
  if (!state.HasSnapshot(name)) {
    throw Refused(Refusal::kNotFound,
                  fmt::format("there is no snapshot {}", Quoted(name)));
  }
  const std::scoped_lock saving(state.saving);
  {
    const State::WholeWorld world(state.world);
    state.CheckWritable();
    state.last_snapshot_change = state.store.Append(SnapshotRestored{
        .bandit = state.number, .name = name, .time = state.clock()});
    state.restoring = state.last_snapshot_change;
  }
  // The store may be unable to write now. Nothing is served then until it is.
  state.WaitFor(state.last_snapshot_change);
  state.FinishRestoring();
  return state.last_snapshot_change;
}

void ServedBandit::State::FinishRestoring() {
  const Sequence restored = restoring;
  if (restored == 0) return;
  WaitFor(restored);
  const WholeWorld lock(world);
  if (restoring != restored) return;
  try {
    MakeEmpty();
    ReadAll(restoring);
  } catch (const sql::Failure&) {
    throw;  // it is tried again, and nothing is served until then
  } catch (...) {
    broken = true;
    throw;
  }
  restoring = 0;
}

Sequence ServedBandit::DeleteSnapshot(const std::string& name) {
  State& state = *state_;
  CheckName("a snapshot's name", name, state.limits.text);
  const std::scoped_lock snapshots(state.snapshots);
  if (!state.HasSnapshot(name)) {
    throw Refused(Refusal::kNotFound,
                  fmt::format("there is no snapshot {}", Quoted(name)));
  }
  state.last_snapshot_change =
      state.store.Append(SnapshotDeleted{.bandit = state.number, .name = name});
  return state.last_snapshot_change;
}

std::vector<SnapshotRow> ServedBandit::Snapshots() const {
  state_->CheckNotDeleted();
  return state_->store.Snapshots(state_->number);
}

}  // namespace manyarms::service
