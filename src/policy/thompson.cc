#include "policy/thompson.h"

#include "manyarms/random.h"
#include "policy/exploration.h"

namespace manyarms {

Thompson::Thompson(const ThompsonOptions& options, const SearchOptions& search,
                   const Catalogue& catalogue, const Posterior& posterior,
                   std::uint64_t seed)
    : posterior_(posterior),
      seed_(seed),
      // Line 2: beta(delta / 4T).
      radius_(Radius(options.exploration, posterior,
                     [](const TheoryRadius& theory) {
                       return theory.delta /
                              (4 * static_cast<double>(theory.horizon));
                     })),
      search_(MakeSearch(search, Objective::kInnerProduct, catalogue, posterior,
                         seed)),
      xi_(posterior.dim()) {}

Hit Thompson::Choose() {
  // Lines 7 to 9.
  RandomStream(seed_, RandomStream::Role::kSample, choices_++).Gaussians(xi_);
  const Eigen::VectorXd theta = posterior_.Sample(radius_, xi_);
  return *search_->Best({.direction = &theta});
}

PolicyStats Thompson::stats() const { return {search_->stats()}; }

}  // namespace manyarms
