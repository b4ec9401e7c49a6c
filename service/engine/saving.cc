// Saving learners, so that a restart has little to replay.

#include <algorithm>
#include <iterator>
#include <utility>

#include "service/engine/bandit_state.h"
#include "service/engine/open_text.h"

namespace manyarms::service {
namespace {

// A restart replays some 100,000 events in a second.
constexpr std::uint64_t kManyUnsaved = 100'000;

// How many saved learners may wait for the disk: those who choose and learn
// need the rest of the store's queue.
constexpr std::size_t kMostWaiting = 1'000;

// How many learners are saved before others get the lock of their stripe.
constexpr int kAtOnce = 16;

// Writing down a learner's open decisions costs about as much as they did, so
// that is not done for a few new ones, unless they have kept the checkpoint
// from moving for long.
bool IsWorthSaving(const ServedLearner& learner, std::size_t open,
                   Sequence last) {
  return learner.unsaved >= open / 2 ||
         (learner.first_unsaved != 0 &&
          last > learner.first_unsaved + 10 * kManyUnsaved);
}

}  // namespace

void ServedBandit::SaveLearners(bool all) {
  State& state = *state_;
  if (!all && (state.unsaved < kManyUnsaved || !state.CanWrite())) return;
  const std::scoped_lock lock(state.saving);
  state.SaveLearners(all, /*has_world=*/false);
}

// Whatever happens while this runs comes after the checkpoint: it has a number
// above that of the last change now.
void ServedBandit::State::SaveLearners(bool all, bool has_world) {
  if (deleted || broken || restoring != 0) return;
  Sequence checkpoint = store.last_appended();
  for (std::uint32_t i = 0; i < ServedLearners::kStripes; ++i) {
    ServedLearners::Stripe& stripe = learners.At(i);
    for (bool is_first = true, is_more = true; is_more; is_first = false) {
      if ((store.congested() || saved_since_wait >= kMostWaiting) &&
          !has_world) {
        WaitFor(store.last_appended());
        saved_since_wait = 0;
      }
      const World lock = has_world ? World() : World(world);
      const std::scoped_lock turn(stripe.mutex);
      if (is_first) stripe.BeginSaving();
      is_more = SaveSome(stripe, all, checkpoint);
    }
  }
  if (checkpoint <= last_checkpoint) return;
  store.Append(Checkpoint{.bandit = number, .as_of = checkpoint});
  last_checkpoint = checkpoint;
}

// Returns whether there are more. The checkpoint becomes the last event before
// those that are not saved.
bool ServedBandit::State::SaveSome(ServedLearners::Stripe& stripe, bool all,
                                   Sequence& checkpoint) {
  for (int some = 0; some < kAtOnce && !stripe.saving.empty(); ++some) {
    ServedLearner& learner = *stripe.saving.back();
    if (!learner.has_changed) {
      learner.listed = false;
    } else if (all || IsWorthSaving(learner, open.CountOf(learner),
                                    store.last_appended())) {
      SaveOne(learner);
    } else {
      stripe.to_save.push_back(&learner);
      if (learner.first_unsaved != 0) {
        checkpoint = std::min(checkpoint, learner.first_unsaved - 1);
      }
    }
    stripe.saving.pop_back();
  }
  return !stripe.saving.empty();
}

// All of its events so far have been put into the store's queue, since the
// caller has its stripe.
void ServedBandit::State::SaveOne(ServedLearner& learner) {
  SavedOpen saved{.id_bits = learner.id_bits};
  for (const OpenDecision& decision : open.Of(learner)) {
    saved.decisions.push_back({decision, open.PartsOf(decision.sequence)});
  }
  const Sequence as_of = store.last_appended();
  store.Append(LearnerSaved{.bandit = number,
                            .learner = learner.name(),
                            .knowledge = population->Export(learner.key),
                            .open = ToText(saved),
                            .as_of = as_of});
  ++saved_since_wait;
  learner.as_of = as_of;
  unsaved -= learner.unsaved;
  learner.unsaved = 0;
  learner.first_unsaved = 0;
  learner.has_changed = false;
  learner.listed = false;
}

}  // namespace manyarms::service
