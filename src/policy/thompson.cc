#include "policy/thompson.h"

#include "base/bytes.h"
#include "manyarms/random.h"
#include "policy/exploration.h"
#include "policy/thompson_kind.h"

namespace manyarms {

Thompson::Thompson(const ThompsonOptions& options, const PolicyParts& parts,
                   std::uint64_t seed)
    : posterior_(parts.posterior),
      seed_(seed),
      // Line 2: beta(delta / 4T).
      exploration_(ExplorationValue(
          options.exploration, posterior_,
          [](const TheoryRadius& theory) {
            return theory.delta / (4 * static_cast<double>(theory.horizon));
          })),
      finder_(parts.index->MakeFinder()),
      xi_(posterior_.dim()) {}

// Lines 7 and 8.
Eigen::VectorXd Thompson::Draw() {
  RandomStream(seed_, RandomStream::Role::kSample, choices_).Gaussians(xi_);
  return posterior_.Sample(exploration_, xi_);
}

// Line 9.
Hit Thompson::Choose() {
  const Eigen::VectorXd theta = Draw();
  const Hit best = finder_->Best({.belief = &posterior_, .direction = &theta})
                       .value_or(Hit{});
  ++choices_;  // only now: the finder may have thrown
  return best;
}

std::vector<Hit> Thompson::ChooseTop(const TopRequest& request) {
  const Eigen::VectorXd theta = Draw();
  std::vector<Hit> top =
      finder_->Top({.belief = &posterior_, .direction = &theta}, request);
  ++choices_;
  return top;
}

void Thompson::Save(ByteWriter& writer) const { writer.Transfer(choices_); }

void Thompson::Restore(ByteReader& reader, std::span<const Slot> /*slots*/) {
  reader.Transfer(choices_);
}

PolicyStats Thompson::stats() const { return {finder_->stats()}; }

std::unique_ptr<Policy> PolicyKind<ThompsonOptions>::Make(
    const ThompsonOptions& options, const SearchOptions& /*search*/,
    const PolicyParts& parts, std::uint64_t seed) {
  return std::make_unique<Thompson>(options, parts, seed);
}

}  // namespace manyarms
