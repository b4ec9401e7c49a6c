#ifndef MANYARMS_POPULATION_STARTING_PRIOR_H_
#define MANYARMS_POPULATION_STARTING_PRIOR_H_

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "manyarms/prior.h"
#include "posterior/posterior.h"

namespace manyarms {

/// What learners begin with. Nobody changes it once it is made.
struct StartingPrior {
  /// `number` is one that no learner and no other prior has as an asker.
  StartingPrior(std::uint64_t number, Posterior posterior,
                std::optional<GaussianPrior> given)
      : asker(number),
        fresh(std::move(posterior)),
        packed(fresh.packed_size()),
        prior(std::move(given)) {
    fresh.Pack(packed);
  }

  std::uint64_t asker;
  Posterior fresh;                     ///< without rewards
  std::vector<double> packed;          ///< the same
  std::optional<GaussianPrior> prior;  ///< none: lambda I
};

/// Mean 0 and lambda I, of a posterior that began with them.
GaussianPrior IsotropicPrior(const Posterior& fresh);

}  // namespace manyarms

#endif  // MANYARMS_POPULATION_STARTING_PRIOR_H_
