#include "sim.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "arrays.h"
#include "ids.h"
#include "kind_text.h"
#include "learning.h"
#include "manyarms/research/environment.h"
#include "manyarms/research/experiment.h"
#include "options.h"
#include "prior.h"
#include "words.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace manyarms::python {
namespace {

/// The paper's synthetic world. It checks ids of arms and counts steps itself,
/// which the library leaves to its callers.
class PySynthetic {
 public:
  explicit PySynthetic(const SyntheticOptions& options)
      : world_(MakeSynthetic(options)), arms_(options.arms) {}

  const Environment& world() const { return *world_; }

  nb::object Features(const PyIds& ids) const {
    const auto* numbers = std::get_if<Numbers>(&ids);
    if (numbers == nullptr) throw nb::type_error("arms are ints here");
    const std::size_t dim = world_->dim();
    std::vector<float> rows(numbers->size() * dim);
    for (std::size_t i = 0; i < numbers->size(); ++i) {
      CheckArm((*numbers)[i]);
      world_->Features((*numbers)[i], std::span(rows).subspan(i * dim, dim));
    }
    return Array(std::move(rows), dim);
  }

  std::tuple<std::vector<ArmId>, std::vector<ArmId>> Advance() {
    Change change = world_->Advance(++step_);
    for (const ArmId arm : change.added) arms_ = std::max(arms_, arm + 1);
    return {std::move(change.added), std::move(change.removed)};
  }

  double Reward(ArmId arm) const {
    CheckArm(arm);
    return world_->Reward(arm, step_);
  }

  double Regret(ArmId arm) const {
    CheckArm(arm);
    return world_->Regret(arm);
  }

  std::uint64_t step() const { return step_; }

 private:
  void CheckArm(ArmId arm) const {
    if (arm >= arms_) {
      throw Error(ErrorCode::kUnknownId,
                  fmt::format("there has been no arm {}, only 0 to {}", arm,
                              arms_ - 1));
    }
  }

  std::unique_ptr<Environment> world_;
  ArmId arms_;  // number of arms that there have ever been
  std::uint64_t step_ = 0;
};

constexpr std::uint64_t kRuns = 1;  // unless the caller wants more

std::string SimulateSignature() {
  const RunSpec spec;
  const SyntheticOptions& world = spec.environment;
  return fmt::format(
      "def simulate({}, *, steps: int = {}, arms: int = {}, dim: int = {}, "
      "add: int = {}, remove: int = {}, every: int = {}, noise: float = {}, "
      "seed: int = {}, runs: int = {}, {}regularisation: float = {}, "
      "negative_rewards: bool = {}, learners: int = {}, own_share: float = {}, "
      "zipf: float = {}, order_budget: int = {}, prior: "
      "typing.Literal['independent', 'shared'] | Prior | SharedPrior = "
      "'independent', context_dim: int = {}, "
      "context_constants: bool = {}, distinct_contexts: int = {}, {}, "
      "explore_uniform: float = {}, click_rate: float = {}, click_spread: "
      "float = {}, turn_every: int = {}, "
      "drift: float = {}) -> list[dict[str, typing.Any]]",
      KindParameters(), PythonText(spec.steps), PythonText(world.arms),
      PythonText(world.dim), PythonText(world.add), PythonText(world.remove),
      PythonText(world.every), PythonText(world.noise), PythonText(world.seed),
      PythonText(kRuns), PolicyParameters(), PythonText(spec.regularisation),
      PythonText(spec.negative_rewards), PythonText(world.learners),
      PythonText(world.own_share), PythonText(world.zipf),
      PythonText(spec.order_budget), PythonText(world.context_dim),
      PythonText(world.context_constants), PythonText(world.distinct_contexts),
      LearningParameters(), PythonText(spec.explore_uniform),
      PythonText(world.click_rate), PythonText(world.click_spread),
      PythonText(world.turn_every), PythonText(world.drift));
}

std::string SimulateHelp() {
  return fmt::format(R"(Runs a policy in synthetic worlds, in C++.

Returns a flat dict for each run, with settings, regret, seconds and latencies,
which docs/rows.md describes, and the lists curve.step and curve.regret.

policy, search: as in Bandit.
{}steps: number of choices in a run.
arms, dim, add, remove, every, noise: those of Synthetic.
seed: seed of the first run; the others have seed + 1, seed + 2, ...
runs: number of runs.
regularisation, negative_rewards: those of Bandit.
learners: how many learners there are, one of whom comes at each step, and chooses
    in a Population; 0: one Bandit.
own_share: share of the variance of a learner's true parameter that is its own.
    The rest is common to all.
zipf: exponent of Zipf's law, by which learners come; 0: all are equally likely.
order_budget, prior: those of Population.
context_dim: number of values of the context that comes with each choice; 0: there
    are no contexts.
context_constants: whether a constant 1 is appended to contexts and features.
distinct_contexts: how many contexts there are; 0: each choice has a new one.
rewards, forgetting, half_life, explore_uniform: those of Bandit.
click_rate, click_spread, turn_every, drift: those of Synthetic.)",
                     PolicyParameterHelp());
}

nb::dict Run(const RunSpec& spec) {
  // Ctrl-C ends the run.
  const auto look_up = [](double) {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  };
  RunResult result;
  {
    const nb::gil_scoped_release release;
    result = RunExperiment(spec, look_up);
  }
  nb::list steps;
  nb::list regrets;
  for (const CurvePoint& point : result.curve) {
    steps.append(point.step);
    regrets.append(point.regret);
  }
  const nb::object parse = nb::module_::import_("manyarms._rows").attr("parse");
  auto row = nb::cast<nb::dict>(parse(JsonRow(spec, result)));
  row["curve.step"] = steps;
  row["curve.regret"] = regrets;
  return row;
}

void BindSimulate(nb::module_& module) {
  const RunSpec defaults;
  const SyntheticOptions& world = defaults.environment;
  module.def(
      "simulate",
      [](const std::string& policy, const PySearch& search,
         const std::optional<PyExploration>& exploration, std::uint64_t steps,
         std::size_t arms, std::size_t dim, std::size_t add, std::size_t remove,
         std::uint64_t every, double noise, std::uint64_t seed,
         std::uint64_t runs, double regularisation, bool negative_rewards,
         std::size_t learners, double own_share, double zipf,
         std::size_t order_budget, const PyPrior& prior,
         std::size_t context_dim, bool context_constants,
         std::size_t distinct_contexts, const std::string& rewards,
         double forgetting, std::optional<double> half_life,
         double explore_uniform, double click_rate, double click_spread,
         std::uint64_t turn_every, double drift,
         const nb::kwargs& policy_options) {
        RunSpec spec{
            .policy = MakePolicyOptions(policy, exploration, policy_options),
            .search = MakeSearchOptions(search),
            .environment = {.arms = arms,
                            .dim = dim,
                            .add = add,
                            .remove = remove,
                            .every = every,
                            .noise = noise,
                            .learners = learners,
                            .own_share = own_share,
                            .zipf = zipf,
                            .context_dim = context_dim,
                            .context_constants = context_constants,
                            .distinct_contexts = distinct_contexts,
                            .click_rate = click_rate,
                            .click_spread = click_spread,
                            .turn_every = turn_every,
                            .drift = drift},
            .regularisation = regularisation,
            .negative_rewards = negative_rewards,
            .rewards = ParseRewardModel(rewards),
            .forgetting = ParseForgetting(forgetting, half_life),
            .explore_uniform = explore_uniform,
            .order_budget = order_budget,
            .prior = MakePrior(prior),
            .steps = steps};
        nb::list rows;
        for (std::uint64_t run = 0; run < runs; ++run) {
          spec.environment.seed = seed + run;
          spec.environment.theta_seed = seed + run;
          rows.append(Run(spec));
        }
        return rows;
      },
      "policy"_a = std::string(PolicyName(defaults.policy)),
      "search"_a = std::string(SearchName(defaults.search)),
      "exploration"_a = nb::none(), nb::kw_only(), "steps"_a = defaults.steps,
      "arms"_a = world.arms, "dim"_a = world.dim, "add"_a = world.add,
      "remove"_a = world.remove, "every"_a = world.every,
      "noise"_a = world.noise, "seed"_a = world.seed, "runs"_a = kRuns,
      "regularisation"_a = defaults.regularisation,
      "negative_rewards"_a = defaults.negative_rewards,
      "learners"_a = world.learners, "own_share"_a = world.own_share,
      "zipf"_a = world.zipf, "order_budget"_a = defaults.order_budget,
      "prior"_a = std::string("independent"),
      "context_dim"_a = world.context_dim,
      "context_constants"_a = world.context_constants,
      "distinct_contexts"_a = world.distinct_contexts,
      "rewards"_a = std::string(RewardModelName(defaults.rewards)),
      "forgetting"_a = defaults.forgetting, "half_life"_a = nb::none(),
      "explore_uniform"_a = defaults.explore_uniform,
      "click_rate"_a = world.click_rate, "click_spread"_a = world.click_spread,
      "turn_every"_a = world.turn_every, "drift"_a = world.drift,
      "policy_options"_a, nb::sig(SimulateSignature().c_str()),
      SimulateHelp().c_str());
}

}  // namespace

void BindSim(nb::module_& module) {
  const SyntheticOptions defaults;
  nb::class_<PySynthetic>(
      module, "Synthetic",
      R"(The paper's synthetic world: theta* and arms from N(0, I), rewards
<theta*, x> plus Gaussian noise. Nothing in it depends on the policy.)")
      .def(
          "__init__",
          [](PySynthetic* self, std::size_t arms, std::size_t dim,
             std::size_t add, std::size_t remove, std::uint64_t every,
             double noise, std::uint64_t seed,
             std::optional<std::uint64_t> theta_seed, bool unit_ball,
             double click_rate, double click_spread, std::uint64_t turn_every,
             double drift) {
            new (self) PySynthetic({.arms = arms,
                                    .dim = dim,
                                    .add = add,
                                    .remove = remove,
                                    .every = every,
                                    .noise = noise,
                                    .seed = seed,
                                    .theta_seed = theta_seed.value_or(seed),
                                    .unit_ball = unit_ball,
                                    .click_rate = click_rate,
                                    .click_spread = click_spread,
                                    .turn_every = turn_every,
                                    .drift = drift});
          },
          "arms"_a = defaults.arms, "dim"_a = defaults.dim, nb::kw_only(),
          "add"_a = defaults.add, "remove"_a = defaults.remove,
          "every"_a = defaults.every, "noise"_a = defaults.noise,
          "seed"_a = defaults.seed, "theta_seed"_a = nb::none(),
          "unit_ball"_a = defaults.unit_ball,
          "click_rate"_a = defaults.click_rate,
          "click_spread"_a = defaults.click_spread,
          "turn_every"_a = defaults.turn_every, "drift"_a = defaults.drift,
          R"(arms: number of arms at the start; their ids are 0, 1, 2, ...
add, remove: numbers of arms that are added and removed every `every` steps.
noise: standard deviation of the reward.
seed: seed of arms and noise, and of theta* unless theta_seed is given.
unit_ball: arms have length 1 at most, as the theorems require.
click_rate: if above 0, rewards are clicks, 0 or 1, with the probability
    1 / (1 + exp(-<theta*, x>)), which is this on average over arms. The last feature
    of every arm is then a constant 1, by which theta* has an intercept.
click_spread: standard deviation of the log-odds of arms.
turn_every: theta* is drawn anew after every so many steps; 0: never.
drift: the angle, in radians, by which theta* moves on with each step.)")
      .def_prop_ro("dim",
                   [](const PySynthetic& self) { return self.world().dim(); })
      .def_prop_ro(
          "arms_at_start",
          [](const PySynthetic& self) { return self.world().arms_at_start(); })
      .def_prop_ro("step", &PySynthetic::step, "The current step.")
      .def(
          "features",
          [](const PySynthetic& self, nb::handle ids) {
            return self.Features(ParseIds(ids, kIds));
          },
          "ids"_a,
          nb::sig("def features(self, ids: Ids) -> "
                  "numpy.typing.NDArray[numpy.float32]"),
          "The features of arms, a row for each.")
      .def("advance", &PySynthetic::Advance,
           "Goes to the next step, and returns the ids of the arms that are "
           "added and of those that are removed before it.")
      .def("reward", &PySynthetic::Reward, "arm"_a,
           "The reward of playing the arm in this step.")
      .def("regret", &PySynthetic::Regret, "arm"_a,
           "The expected reward of the best arm now present minus that of this "
           "arm.");
  BindSimulate(module);
}

}  // namespace manyarms::python
