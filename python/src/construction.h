#ifndef MANYARMS_PYTHON_CONSTRUCTION_H_
#define MANYARMS_PYTHON_CONSTRUCTION_H_

#include <nanobind/nanobind.h>

#include <optional>
#include <string>

#include "ids.h"
#include "kind_text.h"
#include "learning.h"
#include "options.h"
#include "policy/kinds.h"
#include "prior.h"
#include "search/kinds.h"

namespace manyarms::python {

/// The constructor of a class that is made with the options of a bandit, each
/// an argument of its own.
template <class Owner>
void BindConstruction(nanobind::class_<Owner>& owner) {
  namespace nb = nanobind;
  using namespace nb::literals;
  const BanditOptions defaults;
  owner.def(
      "__init__",
      [](Owner* self, nb::handle dim, const std::string& policy,
         const PySearch& search,
         const std::optional<PyExploration>& exploration, double regularisation,
         const std::optional<PyPrior>& prior, bool negative_rewards,
         const std::string& rewards, double forgetting,
         std::optional<double> half_life, double explore_uniform,
         nb::handle context_dim, bool context_constants, nb::handle seed,
         nb::handle max_pending, const nb::kwargs& policy_options) {
        new (self) Owner(BanditOptions{
            .dim = ParseNumber(dim, {"dim", "an int"}),
            .policy = MakePolicyOptions(policy, exploration, policy_options),
            .search = MakeSearchOptions(search),
            .regularisation = regularisation,
            .prior = MakeBanditPrior(prior),
            .negative_rewards = negative_rewards,
            .rewards = ParseRewardModel(rewards),
            .forgetting = ParseForgetting(forgetting, half_life),
            .explore_uniform = explore_uniform,
            .context_dim = ParseNumber(context_dim, {"context_dim", "an int"}),
            .context_constants = context_constants,
            .seed = ParseNumber(seed, {"seed", "an int"}),
            .max_pending =
                ParseNumber(max_pending, {"max_pending", "an int"})});
      },
      "dim"_a, "policy"_a = std::string(PolicyName(defaults.policy)),
      "search"_a = std::string(SearchName(defaults.search)),
      "exploration"_a = nb::none(), nb::kw_only(),
      "regularisation"_a = defaults.regularisation, "prior"_a = nb::none(),
      "negative_rewards"_a = defaults.negative_rewards,
      "rewards"_a = std::string(RewardModelName(defaults.rewards)),
      "forgetting"_a = defaults.forgetting, "half_life"_a = nb::none(),
      "explore_uniform"_a = defaults.explore_uniform,
      "context_dim"_a = defaults.context_dim,
      "context_constants"_a = defaults.context_constants,
      "seed"_a = defaults.seed, "max_pending"_a = defaults.max_pending,
      "policy_options"_a, nb::sig(BanditSignature().c_str()),
      BanditHelp().c_str());
}

/// The options by the names of these arguments.
nanobind::dict KeywordOptions(const BanditOptions& options);

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_CONSTRUCTION_H_
