#include "service/engine/open_decisions.h"

#include <fmt/format.h>

#include <algorithm>

#include "service/engine/limits.h"
#include "service/engine/reserve_growing.h"

namespace manyarms::service {

OpenDecisions::Room OpenDecisions::MakeRoom(std::size_t further,
                                            std::uint64_t most) {
  const std::scoped_lock lock(mutex_);
  const std::size_t promised = promised_ + further;
  if (by_sequence_.size() + promised > most) {
    throw Refused(
        Refusal::kTooMany,
        fmt::format("{} decisions wait for rewards, and with {} more there "
                    "would be more than the {} that are allowed",
                    by_sequence_.size(), further, most));
  }
  by_sequence_.Reserve(by_sequence_.size() + promised,
                       [this](Index index) { return HashAt(index); });
  // So that Remove never fails.
  ReserveGrowing(free_, entries_.size() + further);
  while (free_.size() < promised) {
    entries_.emplace_back();
    free_.push_back(static_cast<Index>(entries_.size() - 1));
  }
  promised_ = promised;
  return {*this, further};
}

void OpenDecisions::GiveBack(std::size_t room) {
  if (room == 0) return;
  const std::scoped_lock lock(mutex_);
  promised_ -= room;
}

void OpenDecisions::Add(const OpenDecision& decision) {
  const std::scoped_lock lock(mutex_);
  const Index index = free_.back();
  free_.pop_back();
  --promised_;
  Entry& entry = entries_[index];
  entry.sequence = decision.sequence;
  entry.time = decision.time;
  entry.learner = decision.learner;
  entry.number = decision.number & ((std::uint64_t{1} << 40) - 1);
  entry.chooser = static_cast<std::uint8_t>(decision.chooser);
  entry.active = decision.active ? 1 : 0;
  by_sequence_.Insert(index, entry.sequence);
  Link(index);
}

// Puts an entry behind all others.
void OpenDecisions::Link(Index index) {
  LinkAsNewest(index);
  Entry& entry = entries_[index];
  ServedLearner& learner = *entry.learner;
  entry.previous = learner.last_open;
  entry.next = kNone;
  (learner.last_open == kNone ? learner.first_open
                              : entries_[learner.last_open].next) = index;
  learner.last_open = index;
  ++learner.open;
}

void OpenDecisions::LinkAsNewest(Index index) {
  Entry& entry = entries_[index];
  entry.older = newest_;
  entry.newer = kNone;
  (newest_ == kNone ? oldest_ : entries_[newest_].newer) = index;
  newest_ = index;
}

void OpenDecisions::UnlinkByAge(Index index) {
  const Entry& entry = entries_[index];
  (entry.older == kNone ? oldest_ : entries_[entry.older].newer) = entry.newer;
  (entry.newer == kNone ? newest_ : entries_[entry.newer].older) = entry.older;
}

OpenDecisions::Index OpenDecisions::IndexOf(Sequence decision) const {
  return by_sequence_.Find(decision, [&](Index index) {
    return entries_[index].sequence == decision;
  });
}

OpenDecision OpenDecisions::At(Index index) const {
  const Entry& entry = entries_[index];
  return {.sequence = entry.sequence,
          .time = entry.time,
          .number = entry.number,
          .learner = entry.learner,
          .chooser = static_cast<Chooser>(entry.chooser),
          .active = entry.active != 0};
}

std::optional<OpenDecision> OpenDecisions::Find(Sequence decision) const {
  const std::scoped_lock lock(mutex_);
  const Index index = IndexOf(decision);
  if (index == kNone) return std::nullopt;
  return At(index);
}

std::optional<std::uint32_t> OpenDecisions::StripeOf(Sequence decision) const {
  const std::scoped_lock lock(mutex_);
  const Index index = IndexOf(decision);
  if (index == kNone) return std::nullopt;
  return ServedLearners::StripeNumber(entries_[index].learner->hash);
}

void OpenDecisions::Remove(Sequence decision) {
  const std::scoped_lock lock(mutex_);
  const Index index = IndexOf(decision);
  Entry& entry = entries_[index];
  by_sequence_.Erase(index, [this](Index one) { return HashAt(one); });
  UnlinkByAge(index);
  ServedLearner& learner = *entry.learner;
  (entry.previous == kNone ? learner.first_open
                           : entries_[entry.previous].next) = entry.next;
  (entry.next == kNone ? learner.last_open : entries_[entry.next].previous) =
      entry.previous;
  --learner.open;
  if (!parts_.empty()) parts_.erase(decision);
  free_.push_back(index);
}

void OpenDecisions::Activate(Sequence decision) {
  const std::scoped_lock lock(mutex_);
  entries_[IndexOf(decision)].active = 1;
}

void OpenDecisions::AddPart(Sequence decision, double reward) {
  const std::scoped_lock lock(mutex_);
  const auto [parts, is_first] = parts_.try_emplace(
      decision, RewardParts{.first = reward, .sum = reward, .last = reward});
  if (is_first) return;
  parts->second.sum += reward;
  parts->second.last = reward;
}

void OpenDecisions::SetParts(Sequence decision, const RewardParts& parts) {
  const std::scoped_lock lock(mutex_);
  parts_[decision] = parts;
}

std::optional<RewardParts> OpenDecisions::PartsOf(Sequence decision) const {
  const std::scoped_lock lock(mutex_);
  const auto found = parts_.find(decision);
  if (found == parts_.end()) return std::nullopt;
  return found->second;
}

// Each decision is put behind the others at most once, since it has a time then
// that has come.
std::vector<OpenDecisions::Due> OpenDecisions::MadeUntil(Time time, Time now,
                                                         std::size_t most) {
  constexpr Time kAhead = 1;  // threads look at the clock at different moments
  const std::scoped_lock lock(mutex_);
  std::vector<Due> due;
  for (Index at = oldest_; at != kNone && due.size() < most;) {
    const Index index = at;
    Entry& entry = entries_[index];
    at = entry.newer;
    if (entry.time > now + kAhead) {
      UnlinkByAge(index);
      entry.time = now;
      LinkAsNewest(index);
      if (at == kNone) break;
      continue;
    }
    if (entry.time > time) break;
    due.push_back(
        {.decision = entry.sequence,
         .stripe = ServedLearners::StripeNumber(entry.learner->hash)});
  }
  return due;
}

std::vector<OpenDecision> OpenDecisions::Of(const ServedLearner& learner,
                                            std::size_t most) const {
  const std::scoped_lock lock(mutex_);
  std::vector<OpenDecision> decisions;
  decisions.reserve(std::min<std::size_t>(learner.open, most));
  for (Index at = learner.first_open; at != kNone && decisions.size() < most;
       at = entries_[at].next) {
    decisions.push_back(At(at));
  }
  return decisions;
}

std::optional<OpenDecision> OpenDecisions::OldestOf(
    const ServedLearner& learner) const {
  const std::scoped_lock lock(mutex_);
  if (learner.first_open == kNone) return std::nullopt;
  return At(learner.first_open);
}

std::size_t OpenDecisions::CountOf(const ServedLearner& learner) const {
  const std::scoped_lock lock(mutex_);
  return learner.open;
}

std::optional<Time> OpenDecisions::OldestTime() const {
  const std::scoped_lock lock(mutex_);
  if (oldest_ == kNone) return std::nullopt;
  return entries_[oldest_].time;
}

void OpenDecisions::Sort() {
  const std::scoped_lock lock(mutex_);
  std::vector<Index> order;
  order.reserve(by_sequence_.size());
  for (Index at = oldest_; at != kNone; at = entries_[at].newer) {
    order.push_back(at);
  }
  std::ranges::sort(order, {}, [this](Index at) { return HashAt(at); });
  for (const Index at : order) {
    ServedLearner& learner = *entries_[at].learner;
    learner.first_open = kNone;
    learner.last_open = kNone;
    learner.open = 0;
  }
  oldest_ = kNone;
  newest_ = kNone;
  for (const Index at : order) Link(at);
}

void OpenDecisions::Clear() {
  const std::scoped_lock lock(mutex_);
  for (Index at = oldest_; at != kNone; at = entries_[at].newer) {
    ServedLearner& learner = *entries_[at].learner;
    learner.first_open = kNone;
    learner.last_open = kNone;
    learner.open = 0;
  }
  entries_.clear();
  free_.clear();
  by_sequence_ = {};
  oldest_ = kNone;
  newest_ = kNone;
  parts_.clear();
}

std::size_t OpenDecisions::size() const {
  const std::scoped_lock lock(mutex_);
  return by_sequence_.size();
}

}  // namespace manyarms::service
