#include "policy/ucb.h"

#include "policy/exploration.h"
#include "policy/ucb_kind.h"

namespace manyarms {

Ucb::Ucb(const UcbOptions& options, const PolicyParts& parts,
         std::uint64_t /*seed*/)
    : posterior_(parts.posterior),
      exploration_(ExplorationValue(
          options.exploration, posterior_,
          [](const TheoryRadius& theory) { return theory.delta; })),
      finder_(parts.index->MakeFinder()) {
  parts.posterior.KeepInverse();
}

Query Ucb::UpperBound() {
  if (!known_version_ || *known_version_ != posterior_.version()) {
    mean_ = posterior_.Mean();
    known_version_ = posterior_.version();
  }
  return {.belief = &posterior_,
          .direction = &mean_,
          .factor = &posterior_.kept_inverse(),
          .exploration = exploration_};
}

Hit Ucb::Choose() { return finder_->Best(UpperBound()).value_or(Hit{}); }

std::vector<Hit> Ucb::ChooseTop(const TopRequest& request) {
  return finder_->Top(UpperBound(), request);
}

void Ucb::Save(ByteWriter&) const {}

void Ucb::Restore(ByteReader&, std::span<const Slot>) {}

PolicyStats Ucb::stats() const { return {finder_->stats()}; }

std::unique_ptr<Policy> PolicyKind<UcbOptions>::Make(
    const UcbOptions& options, const SearchOptions& /*search*/,
    const PolicyParts& parts, std::uint64_t seed) {
  return std::make_unique<Ucb>(options, parts, seed);
}

}  // namespace manyarms
