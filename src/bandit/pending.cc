#include "bandit/pending.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "manyarms/error.h"

namespace manyarms {

std::span<float> PendingDecisions::FeaturesAt(std::uint32_t place) {
  return std::span(features_).subspan(place * dim_, dim_);
}

std::span<float> PendingDecisions::Add(const NewDecision& made) {
  if (window_size() == limit_) DropFirst();
  if (free_.empty()) {
    // If memory runs out here, a place without features is left, or one that
    // is never used.
    const std::size_t places = arms_.size();
    features_.resize((places + 1) * dim_);
    eligible_.resize(places + 1);
    arms_.push_back(made.arm);
    free_.reserve(arms_.capacity());  // so that Remove never fails
    free_.push_back(static_cast<std::uint32_t>(places));
  }
  window_.push_back(free_.back());
  free_.pop_back();
  arms_[window_.back()] = made.arm;
  eligible_[window_.back()] = static_cast<std::uint32_t>(made.eligible);
  if (made.basis != basis_) {
    basis_ = made.basis;
    first_by_basis_ = last();
  }
  ++size_;
  return FeaturesAt(window_.back());
}

bool PendingDecisions::IsPending(DecisionId decision) const {
  return decision >= first_ && decision <= last() && PlaceOf(decision) != kDone;
}

std::span<const float> PendingDecisions::Features(DecisionId decision) const {
  if (!IsPending(decision)) {
    throw Error(
        ErrorCode::kUnknownId,
        decision == 0 || decision > last()
            ? fmt::format("decision {} has not been made; the last is {}",
                          decision, last())
            : fmt::format("decision {} has been learned or dismissed already, "
                          "or {} or more have been made since",
                          decision, limit_));
  }
  return std::span(features_).subspan(PlaceOf(decision) * dim_, dim_);
}

void PendingDecisions::CheckArm(DecisionId decision, ArmId arm) const {
  if (!IsPending(decision) || decision < first_armed_) return;
  const ArmId chosen = arms_[PlaceOf(decision)];
  if (chosen != arm) {
    throw Error(ErrorCode::kUnknownId,
                fmt::format("decision {} chose another arm here: this one is "
                            "another bandit's",
                            decision));
  }
}

void PendingDecisions::Reassign(DecisionId decision, ArmId arm,
                                std::span<const float> features) {
  const std::uint32_t place = PlaceOf(decision);
  arms_[place] = arm;
  eligible_[place] = 0;
  std::ranges::copy(features, FeaturesAt(place).last(features.size()).begin());
}

void PendingDecisions::Remove(DecisionId decision) {
  std::uint32_t& place = PlaceOf(decision);
  free_.push_back(place);
  place = kDone;
  --size_;
  while (window_size() > 0 && PlaceOf(first_) == kDone) DropFirst();
}

// Entries that were dropped are removed when they are half of all, so that each
// is moved once on average.
void PendingDecisions::DropFirst() {
  if (PlaceOf(first_) != kDone) {
    free_.push_back(PlaceOf(first_));
    --size_;
  }
  ++dropped_;
  ++first_;
  if (2 * dropped_ >= window_.size()) {
    window_.erase(window_.begin(),
                  window_.begin() + static_cast<std::ptrdiff_t>(dropped_));
    dropped_ = 0;
  }
}

std::size_t PendingDecisions::memory_bytes() const {
  return sizeof(*this) + features_.capacity() * sizeof(float) +
         arms_.capacity() * sizeof(ArmId) +
         (window_.capacity() + free_.capacity() + eligible_.capacity()) *
             sizeof(std::uint32_t);
}

void PendingDecisions::Save(ByteWriter& writer, const Basis& now) const {
  writer.Transfer(first_);
  writer.Transfer(first_armed_);
  writer.Transfer(now == basis_ ? first_by_basis_ : last() + 1);
  writer.Transfer(std::uint64_t{window_size()});
  for (const std::uint32_t place : std::span(window_).subspan(dropped_)) {
    const bool pending = place != kDone;
    writer.Transfer(pending);
    if (pending) {
      writer.Transfer(arms_[place]);
      writer.Transfer(eligible_[place]);
      writer.Values(std::span(features_).subspan(place * dim_, dim_));
    }
  }
}

void PendingDecisions::Restore(ByteReader& reader, PendingFormat format,
                               const Basis& now) {
  const bool with_arms = format >= PendingFormat::kArm;
  const bool with_eligible = format >= PendingFormat::kArmAndEligible;
  reader.Transfer(first_);
  if (with_arms) reader.Transfer(first_armed_);
  DecisionId first_by_basis = 0;
  if (with_eligible) reader.Transfer(first_by_basis);
  const std::size_t window = reader.Count(1);
  CheckSaved(first_ > 0 && first_ < ~DecisionId{0} / 2 && window <= limit_,
             "its decisions are out of bounds");
  for (std::size_t i = 0; i < window; ++i) {
    if (reader.Next<bool>()) {
      NewDecision made;
      if (with_arms) reader.Transfer(made.arm);
      if (with_eligible) made.eligible = reader.Next<std::uint32_t>();
      const std::span<float> features = Add(made);
      reader.Values(features);
      CheckFeatures(features, dim_);
    } else {
      window_.push_back(kDone);
    }
  }
  if (!with_arms) first_armed_ = last() + 1;
  if (with_eligible) {
    basis_ = now;
    first_by_basis_ = first_by_basis;
  }
}

}  // namespace manyarms
