#include "bandit/pending.h"

#include <fmt/format.h>

#include "manyarms/error.h"

namespace manyarms {

std::span<float> PendingDecisions::FeaturesAt(std::uint32_t place) {
  return std::span(features_).subspan(place * dim_, dim_);
}

std::span<float> PendingDecisions::Add() {
  if (window_.size() == limit_) DropFirst();
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(features_.size() / dim_));
    features_.resize(features_.size() + dim_);
  }
  window_.push_back(free_.back());
  free_.pop_back();
  ++size_;
  return FeaturesAt(window_.back());
}

bool PendingDecisions::IsPending(DecisionId decision) const {
  return decision >= first_ && decision <= last() &&
         window_[decision - first_] != kDone;
}

std::span<const float> PendingDecisions::Features(DecisionId decision) const {
  if (!IsPending(decision)) {
    throw Error(
        ErrorCode::kUnknownId,
        decision == 0 || decision > last()
            ? fmt::format("decision {} has not been made; the last is {}",
                          decision, last())
            : fmt::format("decision {} has been learned already, or {} or more "
                          "have been made since",
                          decision, limit_));
  }
  return std::span(features_).subspan(window_[decision - first_] * dim_, dim_);
}

void PendingDecisions::Remove(DecisionId decision) {
  std::uint32_t& place = window_[decision - first_];
  free_.push_back(place);
  place = kDone;
  --size_;
  while (!window_.empty() && window_.front() == kDone) DropFirst();
}

void PendingDecisions::DropFirst() {
  if (window_.front() != kDone) {
    free_.push_back(window_.front());
    --size_;
  }
  window_.pop_front();
  ++first_;
}

void PendingDecisions::Save(ByteWriter& writer) const {
  writer.Transfer(first_);
  writer.Transfer(std::uint64_t{window_.size()});
  for (const std::uint32_t place : window_) {
    const bool pending = place != kDone;
    writer.Transfer(pending);
    if (pending) {
      writer.Values(std::span(features_).subspan(place * dim_, dim_));
    }
  }
}

void PendingDecisions::Restore(ByteReader& reader) {
  reader.Transfer(first_);
  const std::size_t window = reader.Count(1);
  CheckSaved(first_ > 0 && first_ < ~DecisionId{0} / 2 && window <= limit_,
             "its decisions are out of bounds");
  for (std::size_t i = 0; i < window; ++i) {
    if (reader.Next<bool>()) {
      reader.Values(Add());
    } else {
      window_.push_back(kDone);
    }
  }
}

}  // namespace manyarms
