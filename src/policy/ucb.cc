#include "policy/ucb.h"

#include "policy/exploration.h"

namespace manyarms {

Ucb::Ucb(const UcbOptions& options, const SearchOptions& search,
         const ArmStore& store, const Posterior& posterior, std::uint64_t seed)
    : posterior_(posterior),
      radius_(Radius(options.exploration, posterior,
                     [](const TheoryRadius& theory) { return theory.delta; })),
      search_(
          MakeSearch(search, Objective::kOptimism, store, posterior, seed)) {}

// At O(d^3), if anything has been learned since the last.
Query Ucb::UpperBound() {
  if (!known_updates_ || *known_updates_ != posterior_.updates()) {
    mean_ = posterior_.Mean();
    factor_ = posterior_.InverseFactor(radius_);
    known_updates_ = posterior_.updates();
  }
  return {.direction = &mean_, .factor = &factor_, .radius = radius_};
}

Hit Ucb::Choose() { return search_->Best(UpperBound()).value_or(Hit{}); }

std::vector<Hit> Ucb::ChooseTop(const TopRequest& request) {
  return search_->Top(UpperBound(), request);
}

void Ucb::Save(ByteWriter&) const {}

void Ucb::Restore(ByteReader&, std::span<const Slot> slots) {
  if (!slots.empty()) search_->Add(slots);
}

PolicyStats Ucb::stats() const { return {search_->stats()}; }

}  // namespace manyarms
