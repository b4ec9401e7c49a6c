#include "policy/thompson.h"

#include "base/bytes.h"
#include "manyarms/random.h"
#include "policy/exploration.h"

namespace manyarms {

Thompson::Thompson(const ThompsonOptions& options, const SearchOptions& search,
                   const ArmStore& store, const Posterior& posterior,
                   std::uint64_t seed)
    : posterior_(posterior),
      seed_(seed),
      // Line 2: beta(delta / 4T).
      radius_(Radius(options.exploration, posterior,
                     [](const TheoryRadius& theory) {
                       return theory.delta /
                              (4 * static_cast<double>(theory.horizon));
                     })),
      search_(
          MakeSearch(search, Objective::kInnerProduct, store, posterior, seed)),
      xi_(posterior.dim()) {}

// Lines 7 and 8.
Eigen::VectorXd Thompson::Draw() {
  RandomStream(seed_, RandomStream::Role::kSample, choices_).Gaussians(xi_);
  return posterior_.Sample(radius_, xi_);
}

// Line 9.
Hit Thompson::Choose() {
  const Eigen::VectorXd theta = Draw();
  const Hit best = search_->Best({.direction = &theta}).value_or(Hit{});
  ++choices_;  // only now: the search may have thrown
  return best;
}

std::vector<Hit> Thompson::ChooseTop(const TopRequest& request) {
  const Eigen::VectorXd theta = Draw();
  std::vector<Hit> top = search_->Top({.direction = &theta}, request);
  ++choices_;
  return top;
}

void Thompson::Save(ByteWriter& writer) const { writer.Transfer(choices_); }

void Thompson::Restore(ByteReader& reader, std::span<const Slot> slots) {
  reader.Transfer(choices_);
  if (!slots.empty()) search_->Add(slots);
}

PolicyStats Thompson::stats() const { return {search_->stats()}; }

}  // namespace manyarms
