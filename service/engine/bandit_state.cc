#include "service/engine/bandit_state.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "manyarms/error.h"
#include "service/engine/learner_bytes.h"

namespace manyarms::service {
namespace {

Time SystemTime() {
  return std::chrono::duration<double>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Limits WithBytes(Limits limits) {
  if (limits.learner_bytes == 0) limits.learner_bytes = HalfOfMemory();
  return limits;
}

}  // namespace

ServedBandit::State::State(BanditNumber bandit, std::string bandit_name,
                           Settings given, const Limits& given_limits,
                           Store& to, const std::function<Time()>& given_clock)
    : number(bandit),
      name(std::move(bandit_name)),
      limits(WithBytes(given_limits)),
      learner_bytes(LearnerBytes(given.population)),
      store(to),
      clock(given_clock ? given_clock : SystemTime),
      settings(std::move(given)),
      events(given_limits.events),
      reward_ids(given_limits.events) {
  counters.sums.counted_since = clock();
  MakeEmpty();
}

void ServedBandit::State::MakeEmpty() {
  open.Clear();
  learners.Clear();
  unsaved = 0;
  arms.reset();
  population = std::make_unique<Population>(settings.population);
  arms = std::make_unique<ServedArms>(number, settings.named_arms, limits,
                                      *population);
  arm_count = 0;
}

void ServedBandit::State::CheckNotDeleted() const {
  if (deleted) {
    throw Refused(Refusal::kNotFound,
                  fmt::format("there is no bandit {}", name));
  }
}

void ServedBandit::State::CheckNotRestoring() const {
  if (restoring != 0) {
    throw Refused(Refusal::kUnavailable, "a snapshot is being restored");
  }
}

ServedBandit::State::World ServedBandit::State::Read() const {
  CheckNotRestoring();
  World lock(world);
  CheckNotRestoring();
  return lock;
}

bool ServedBandit::State::CanWrite() const {
  return !deleted && !broken && restoring == 0 && !store.congested() &&
         store.failure().empty();
}

void ServedBandit::State::CheckWritable() const {
  CheckNotDeleted();
  const auto refuse = [](const std::string& why) {
    throw Refused(Refusal::kUnavailable, why);
  };
  if (broken) {
    refuse(
        "memory ran out in the middle of a change; nothing is served until "
        "the service is started again");
  }
  CheckNotRestoring();
  const std::string failure = store.failure();
  if (!failure.empty()) {
    throw Refused(Refusal::kUnavailable, kCannotWrite, failure);
  }
  if (store.congested()) {
    refuse("too many changes wait for the disk");
  }
}

void ServedBandit::State::WaitFor(Sequence change) const {
  try {
    store.Wait(change);
  } catch (const Error& error) {
    throw Refused(Refusal::kUnavailable, kCannotWrite, error.what());
  }
}

void ServedBandit::State::CheckRoomForLearner() const {
  const std::uint64_t present = learners.size();
  if (present >= limits.learners) {
    throw Refused(Refusal::kTooMany,
                  fmt::format("there are {} learners, at most {} are allowed",
                              present, limits.learners));
  }
  if (present >= limits.learner_bytes / learner_bytes) {
    throw Refused(
        Refusal::kTooMany,
        fmt::format("there are {} learners, each of which takes up to {} bytes "
                    "of memory; all of a bandit may take {}",
                    present, learner_bytes, limits.learner_bytes));
  }
}

ServedLearner& ServedBandit::State::Turn::FindOrAdd(
    const std::string& learner) {
  if (ServedLearner* found = Find(learner)) return *found;
  state_.CheckRoomForLearner();
  return FindOrBringBack(learner);
}

ServedLearner& ServedBandit::State::Turn::FindOrBringBack(
    const std::string& learner) {
  if (ServedLearner* found = Find(learner)) return *found;
  added_ = &state_.learners.Add(stripe_, learner);
  return *added_;
}

}  // namespace manyarms::service
