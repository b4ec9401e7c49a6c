#include "construction.h"

#include <nanobind/stl/optional.h>

namespace nb = nanobind;

namespace manyarms::python {

nb::dict KeywordOptions(const BanditOptions& options) {
  nb::dict named;
  named["dim"] = options.dim;
  named["policy"] = std::string(PolicyName(options.policy));
  named["search"] = SearchObject(options.search);
  named["exploration"] = ExplorationOf(options.policy);
  for (const PolicyField& field : PolicyFields()) {
    const nb::object value = PolicyValue(options.policy, field.name);
    if (!value.is_none()) named[field.name.c_str()] = value;
  }
  named["regularisation"] = options.regularisation;
  named["prior"] = options.prior;
  named["negative_rewards"] = options.negative_rewards;
  named["rewards"] = std::string(RewardModelName(options.rewards));
  named["forgetting"] = options.forgetting;
  named["explore_uniform"] = options.explore_uniform;
  named["context_dim"] = options.context_dim;
  named["context_constants"] = options.context_constants;
  named["seed"] = options.seed;
  named["max_pending"] = options.max_pending;
  return named;
}

}  // namespace manyarms::python
