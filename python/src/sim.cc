#include "sim.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <tuple>

#include "arrays.h"
#include "ids.h"
#include "manyarms/research/environment.h"
#include "manyarms/research/experiment.h"
#include "options.h"

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

}  // namespace

void BindSim(nb::module_& module) {
  nb::class_<PySynthetic>(
      module, "Synthetic",
      R"(The paper's synthetic world: theta* and arms from N(0, I), rewards
<theta*, x> plus Gaussian noise. Nothing in it depends on the policy.)")
      .def(
          "__init__",
          [](PySynthetic* self, std::size_t arms, std::size_t dim,
             std::size_t add, std::size_t remove, std::uint64_t every,
             double noise, std::uint64_t seed,
             std::optional<std::uint64_t> theta_seed, bool unit_ball) {
            new (self) PySynthetic({.arms = arms,
                                    .dim = dim,
                                    .add = add,
                                    .remove = remove,
                                    .every = every,
                                    .noise = noise,
                                    .seed = seed,
                                    .theta_seed = theta_seed.value_or(seed),
                                    .unit_ball = unit_ball});
          },
          "arms"_a = 3000, "dim"_a = 16, nb::kw_only(), "add"_a = 2,
          "remove"_a = 0, "every"_a = 20, "noise"_a = 1.0, "seed"_a = 1,
          "theta_seed"_a = nb::none(), "unit_ball"_a = false,
          R"(arms: number of arms at the start; their ids are 0, 1, 2, ...
add, remove: numbers of arms that are added and removed every `every` steps.
noise: standard deviation of the reward.
seed: seed of arms and noise, and of theta* unless theta_seed is given.
unit_ball: arms have length 1 at most, as the theorems require.)")
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

  module.def(
      "simulate",
      [](const std::string& policy, const PySearch& search,
         const PyExploration& exploration,
         const nb::typed<nb::dict, std::string, nb::object>& policy_options,
         std::size_t arms, std::size_t dim, std::size_t add, std::size_t remove,
         std::uint64_t every, double noise, std::uint64_t seed,
         std::uint64_t steps, double regularisation, bool negative_rewards) {
        const RunSpec spec{
            .policy = MakePolicyOptions(policy, exploration, policy_options),
            .search = MakeSearchOptions(search),
            .environment = {.arms = arms,
                            .dim = dim,
                            .add = add,
                            .remove = remove,
                            .every = every,
                            .noise = noise,
                            .seed = seed,
                            .theta_seed = seed},
            .regularisation = regularisation,
            .negative_rewards = negative_rewards,
            .steps = steps};
        // Ctrl-C ends the run.
        const auto look_up = [](double) {
          const nb::gil_scoped_acquire acquire;
          if (PyErr_CheckSignals() != 0) throw nb::python_error();
        };
        const nb::gil_scoped_release release;
        const RunResult result = RunExperiment(spec, look_up);
        std::vector<std::uint64_t> at;
        std::vector<double> regrets;
        for (const CurvePoint& point : result.curve) {
          at.push_back(point.step);
          regrets.push_back(point.regret);
        }
        return std::tuple(JsonRow(spec, result), at, regrets);
      },
      "policy"_a, "search"_a, "exploration"_a, "policy_options"_a, "arms"_a,
      "dim"_a, "add"_a, "remove"_a, "every"_a, "noise"_a, "seed"_a, "steps"_a,
      "regularisation"_a, "negative_rewards"_a,
      "Returns a run as one line of JSON, and the steps and regrets of its "
      "curve. Use manyarms.sim.simulate instead.");
}

}  // namespace manyarms::python
