// What brings a population back from events that somebody has written down.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <vector>

#include "base/check.h"
#include "population/state.h"

namespace manyarms {

void Population::AddPlaced(const PlacedArms& arms) {
  State& state = *state_;
  const std::scoped_lock lock(state.changing_arms);
  CheckRowCount(arms.features.size(), arms.ids.size(), dim());
  if (state.store.block_count() > 0) {
    throw Error(ErrorCode::kInvalidArgument,
                "arms can be placed only where there never was an arm");
  }
  if (state.scale.changes_features()) {
    const FeatureRows rows(arms.features.data(), arms.ids.size(), dim(),
                           {.row = static_cast<std::ptrdiff_t>(dim())});
    state.store.AddPlaced(arms.places, arms.ids,
                          state.scale.InnerRows(arms.ids.size(), rows),
                          arms.free);
  } else {
    state.store.AddPlaced(arms.places, arms.ids, arms.features, arms.free);
  }
  const std::vector<Slot> slots = state.store.Slots();
  if (!slots.empty()) state.index->Add(slots);
}

std::vector<DecisionId> Population::Redo(
    const LearnerKey& learner, std::span<const PastDecision> decisions,
    Context context) {
  State& state = *state_;
  state.model.Check(context);
  CheckCount("number of decisions (at most max_pending)", decisions.size(), 1,
             state.options.max_pending);
  for (const PastDecision& decision : decisions) {
    CheckFeatures(decision.features, dim());
  }
  return state.learners.Change(learner, [&](Learner& redone) {
    std::vector<DecisionId> ids;
    ids.reserve(decisions.size());
    for (const PastDecision& decision : decisions) {
      const std::span<float> row = state.PendingOf(redone).Add(
          {.arm = decision.arm,
           .eligible = ids.empty() ? decision.eligible : 0,
           .basis = {}});
      std::ranges::copy(context, row.begin());
      std::ranges::copy(state.scale.InnerFeatures(decision.features),
                        row.subspan(context.size()).begin());
      redone.decisions = redone.pending->last();
      ids.push_back(state.IdOf(learner, redone.decisions));
    }
    ++redone.choices;
    return ids;
  });
}

void Population::Reassign(const LearnerKey& learner, DecisionId decision,
                          ArmId arm) {
  State& state = *state_;
  const std::vector<float> inner = state.InnerFeatures(std::span(&arm, 1));
  state.learners.ChangeExisting(learner, [&](Learner& found) {
    const std::uint64_t number = state.PendingNumber(learner, found, decision);
    found.pending->Reassign(number, arm, inner);
  });
}

void Population::DismissAll(const LearnerKey& learner) {
  state_->learners.ChangeExisting(
      learner, [](Learner& found) { found.pending.reset(); });
}

}  // namespace manyarms
