#include "policy/ucb.h"

#include "policy/exploration.h"

namespace manyarms {

Ucb::Ucb(const UcbOptions& options, const SearchOptions& search,
         const Catalogue& catalogue, const Posterior& posterior,
         std::uint64_t seed)
    : posterior_(posterior),
      radius_(Radius(options.exploration, posterior,
                     [](const TheoryRadius& theory) { return theory.delta; })),
      search_(MakeSearch(search, Objective::kOptimism, catalogue, posterior,
                         seed)) {}

Hit Ucb::Choose() {
  const Eigen::VectorXd mean = posterior_.Mean();
  const Eigen::MatrixXd factor = posterior_.InverseFactor(radius_);
  return search_
      ->Best({.direction = &mean, .factor = &factor, .radius = radius_})
      .value_or(Hit{});
}

std::vector<Hit> Ucb::ChooseTop(const TopRequest& request) {
  const Eigen::VectorXd mean = posterior_.Mean();
  const Eigen::MatrixXd factor = posterior_.InverseFactor(radius_);
  return search_->Top(
      {.direction = &mean, .factor = &factor, .radius = radius_}, request);
}

void Ucb::Save(ByteWriter&) const {}

void Ucb::Restore(ByteReader&, std::span<const Slot> slots) {
  if (!slots.empty()) search_->Add(slots);
}

PolicyStats Ucb::stats() const { return {search_->stats()}; }

}  // namespace manyarms
