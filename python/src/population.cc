#include "population.h"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "arrays.h"
#include "contexts.h"
#include "kind_text.h"
#include "learning.h"
#include "options.h"
#include "prior.h"
#include "probabilities.h"
#include "py_population.h"
#include "rows.h"
#include "shared_methods.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace manyarms::python {
namespace {

using PopulationClass = nb::class_<PyPopulation>;

LearnerKey ParseLearner(nb::handle learner) {
  const PyArm key = ParseId(learner, {"a learner", "an int or a string"});
  if (const auto* text = std::get_if<std::string>(&key)) return *text;
  return std::get<ArmId>(key);
}

std::vector<LearnerKey> ParseLearners(nb::handle learners) {
  const PyIds keys = ParseIds(learners, {"learners", "ints or strings"});
  return std::visit(
      [](const auto& list) {
        return std::vector<LearnerKey>(list.begin(), list.end());
      },
      keys);
}

nb::object KeyObject(const LearnerKey& key) {
  return key.is_number()
             ? nb::object(nb::int_(key.number()))
             : nb::object(nb::str(key.text().c_str(), key.text().size()));
}

DecisionId IdOf(const DecisionOrId& decision) {
  const auto* id = std::get_if<DecisionId>(&decision);
  return id != nullptr ? *id : std::get<PyDecision>(decision).id;
}

std::vector<DecisionId> ParseDecisionIds(nb::handle decisions) {
  std::vector<DecisionId> ids;
  for (const DecisionOrId& decision : ParseDecisions(decisions)) {
    ids.push_back(IdOf(decision));
  }
  return ids;
}

nb::dict StatsDict(const PopulationStats& stats) {
  nb::dict dict;
  const auto add = [&dict](const char* name, const auto& counter) {
    dict[name] = counter;
  };
  ForEachPolicyCounter(add, stats);
  add("learners", stats.learners);
  add("learner_bytes", stats.learner_bytes);
  add("finders", stats.finders);
  add("finder_bytes", stats.finder_bytes);
  add("prior_refits", stats.prior_refits);
  return dict;
}

void BindConstruction(PopulationClass& population) {
  const PopulationOptions defaults;
  population.def(
      "__init__",
      [](PyPopulation* self, nb::handle dim, const std::string& policy,
         const PySearch& search,
         const std::optional<PyExploration>& exploration, double regularisation,
         const PyPrior& prior, bool negative_rewards,
         const std::string& rewards, double forgetting,
         std::optional<double> half_life, double explore_uniform,
         nb::handle context_dim, bool context_constants, nb::handle seed,
         nb::handle max_pending, nb::handle order_budget,
         const nb::kwargs& policy_options) {
        new (self) PyPopulation(PopulationOptions{
            .dim = ParseNumber(dim, {"dim", "an int"}),
            .policy = MakePolicyOptions(policy, exploration, policy_options),
            .search = MakeSearchOptions(search),
            .regularisation = regularisation,
            .prior = MakePrior(prior),
            .negative_rewards = negative_rewards,
            .rewards = ParseRewardModel(rewards),
            .forgetting = ParseForgetting(forgetting, half_life),
            .explore_uniform = explore_uniform,
            .context_dim = ParseNumber(context_dim, {"context_dim", "an int"}),
            .context_constants = context_constants,
            .seed = ParseNumber(seed, {"seed", "an int"}),
            .max_pending = ParseNumber(max_pending, {"max_pending", "an int"}),
            .order_budget =
                ParseNumber(order_budget, {"order_budget", "an int"})});
      },
      "dim"_a, "policy"_a = std::string(PolicyName(defaults.policy)),
      "search"_a = std::string(SearchName(defaults.search)),
      "exploration"_a = nb::none(), nb::kw_only(),
      "regularisation"_a = defaults.regularisation,
      "prior"_a = std::string("independent"),
      "negative_rewards"_a = defaults.negative_rewards,
      "rewards"_a = std::string(RewardModelName(defaults.rewards)),
      "forgetting"_a = defaults.forgetting, "half_life"_a = nb::none(),
      "explore_uniform"_a = defaults.explore_uniform,
      "context_dim"_a = defaults.context_dim,
      "context_constants"_a = defaults.context_constants,
      "seed"_a = defaults.seed, "max_pending"_a = defaults.max_pending,
      "order_budget"_a = defaults.order_budget, "policy_options"_a,
      nb::sig(PopulationSignature().c_str()), PopulationHelp().c_str());
}

void BindChoices(PopulationClass& population) {
  population
      .def(
          "choose",
          [](PyPopulation& self, nb::handle learner, nb::handle eligible,
             nb::handle context) {
            return self.Choose(ParseLearner(learner), ParseEligible(eligible),
                               ParseContext(context));
          },
          "learner"_a, nb::kw_only(), "eligible"_a = nb::none(),
          "context"_a = nb::none(),
          nb::sig("def choose(self, learner: int | str, *, eligible: Ids | "
                  "Mask | None = None, context: Row | None = None) -> "
                  "Decision"),
          R"(Chooses an arm for a learner, which begins to exist with that.

eligible: ids of the arms that may be chosen, or a boolean array with a value
    for every arm in the order of `ids`.
context: context_dim numbers, which the decision keeps until its reward is
    learned.)")
      .def(
          "choose_many",
          [](PyPopulation& self, nb::handle learner, nb::handle count,
             nb::handle eligible, nb::handle context) {
            return self.ChooseMany(
                ParseLearner(learner), ParseNumber(count, {"count", "an int"}),
                ParseEligible(eligible), ParseContext(context));
          },
          "learner"_a, "count"_a, nb::kw_only(), "eligible"_a = nb::none(),
          "context"_a = nb::none(),
          nb::sig("def choose_many(self, learner: int | str, count: int, *, "
                  "eligible: Ids | Mask | None = None, context: Row | None = "
                  "None) -> list[Decision]"),
          "Chooses the best arms of one draw for a learner, best first, no arm "
          "twice, and fewer than count if fewer are eligible.")
      .def(
          "choose_for",
          [](PyPopulation& self, nb::handle learners, nb::handle contexts) {
            const std::vector<LearnerKey> keys = ParseLearners(learners);
            return self.ChooseFor(keys,
                                  ParseContexts(contexts, keys.size(),
                                                self.options().context_dim));
          },
          "learners"_a, "contexts"_a = nb::none(),
          nb::sig("def choose_for(self, learners: Ids, contexts: Features | "
                  "None = None) -> list[Decision]"),
          "Chooses an arm for each of the learners, on all cores, while other "
          "Python threads run. A learner that is given more than once chooses "
          "that often. contexts has a row for each choice.")
      .def(
          "propensity",
          [](PyPopulation& self, nb::handle learner, nb::handle decision,
             nb::handle draws, nb::handle eligible, nb::handle context) {
            return AsPair(self.Propensity(
                ParseLearner(learner), IdOf(ParseDecision(decision)),
                ParseDraws(draws), ParseEligible(eligible),
                ParseContext(context)));
          },
          "learner"_a, "decision"_a, "draws"_a = kDefaultDraws, nb::kw_only(),
          "eligible"_a = nb::none(), "context"_a = nb::none(),
          nb::sig("def propensity(self, learner: int | str, decision: Decision "
                  "| int, draws: int = 1000, *, eligible: Ids | Mask | None = "
                  "None, context: Row | None = None) -> tuple[float, float]"),
          "The probability with which a learner's decision was made, and its "
          "standard error, as Bandit.propensity: before this learner learns or "
          "forgets anything, and before arms change.")
      .def(
          "logging_probability",
          [](PyPopulation& self, nb::handle learner, nb::handle decision,
             nb::handle draws, nb::handle eligible, nb::handle context) {
            return self.LoggingProbability(
                ParseLearner(learner), IdOf(ParseDecision(decision)),
                ParseDraws(draws), ParseEligible(eligible),
                ParseContext(context));
          },
          "learner"_a, "decision"_a, "draws"_a = kDefaultDraws, nb::kw_only(),
          "eligible"_a = nb::none(), "context"_a = nb::none(),
          nb::sig("def logging_probability(self, learner: int | str, decision: "
                  "Decision | int, draws: int = 1000, *, eligible: Ids | Mask "
                  "| None = None, context: Row | None = None) -> float"),
          "The probability of a learner's decision to write into a log, as "
          "Bandit.logging_probability.")
      .def(
          "propensities",
          [](PyPopulation& self, nb::handle learner, nb::handle arms,
             nb::handle draws, nb::handle eligible, nb::handle context) {
            return AsPair(self.Propensities(
                ParseLearner(learner),
                ParseIds(arms, {"arms", "ints or strings"}), ParseDraws(draws),
                ParseEligible(eligible), ParseContext(context)));
          },
          "learner"_a, "arms"_a, "draws"_a = kDefaultDraws, nb::kw_only(),
          "eligible"_a = nb::none(), "context"_a = nb::none(),
          nb::sig("def propensities(self, learner: int | str, arms: Ids, "
                  "draws: int = 1000, *, eligible: Ids | Mask | None = None, "
                  "context: Row | None = None) -> "
                  "tuple[numpy.typing.NDArray[numpy.float64], "
                  "numpy.typing.NDArray[numpy.float64]]"),
          "The probabilities with which a learner's next choice would be each "
          "of these arms, and their standard errors.");
}

void BindLearning(PopulationClass& population) {
  population
      .def(
          "learn",
          [](PyPopulation& self, nb::handle learner, nb::handle decision,
             double reward) {
            self.Learn(ParseLearner(learner), IdOf(ParseDecision(decision)),
                       reward);
          },
          "learner"_a, "decision"_a, "reward"_a,
          nb::sig("def learn(self, learner: int | str, decision: Decision | "
                  "int, reward: float) -> None"),
          "Learns the reward of a learner's decision, once and in any "
          "order.\nRaises UnknownIdError, a KeyError, for a learner that does "
          "not exist, for another learner's decision, and for one that is not "
          "pending any more.")
      .def(
          "learn_many",
          [](PyPopulation& self, nb::handle learner, nb::handle decisions,
             nb::handle rewards) {
            const std::vector<DecisionId> ids = ParseDecisionIds(decisions);
            self.LearnMany(ParseLearner(learner), ids, ParseRewards(rewards));
          },
          "learner"_a, "decisions"_a, "rewards"_a,
          nb::sig("def learn_many(self, learner: int | str, decisions: "
                  "collections.abc.Sequence[Decision | int] | "
                  "numpy.typing.NDArray[numpy.integer], rewards: "
                  "collections.abc.Sequence[float] | "
                  "numpy.typing.NDArray[numpy.floating]) -> None"),
          "Learns the rewards of all of a learner's decisions, or of none if "
          "it raises an exception.")
      .def(
          "learn_for",
          [](PyPopulation& self, nb::handle learners, nb::handle decisions,
             nb::handle rewards) {
            const std::vector<LearnerKey> keys = ParseLearners(learners);
            const std::vector<DecisionId> ids = ParseDecisionIds(decisions);
            self.LearnFor(keys, ids, ParseRewards(rewards));
          },
          "learners"_a, "decisions"_a, "rewards"_a,
          nb::sig("def learn_for(self, learners: Ids, decisions: "
                  "collections.abc.Sequence[Decision | int] | "
                  "numpy.typing.NDArray[numpy.integer], rewards: "
                  "collections.abc.Sequence[float] | "
                  "numpy.typing.NDArray[numpy.floating]) -> None"),
          "Learns a reward of a decision of each of the learners, on all "
          "cores: all of them, or none if it raises an exception.")
      .def(
          "dismiss",
          [](PyPopulation& self, nb::handle learner, nb::handle decision) {
            self.Dismiss(ParseLearner(learner), IdOf(ParseDecision(decision)));
          },
          "learner"_a, "decision"_a,
          nb::sig("def dismiss(self, learner: int | str, decision: Decision | "
                  "int) -> None"),
          "Forgets a decision whose reward will never come.")
      .def(
          "observe",
          [](PyPopulation& self, nb::handle learner, nb::handle arm,
             double reward, nb::handle context) {
            self.Observe(ParseLearner(learner), ParseArm(arm), reward,
                         ParseContext(context));
          },
          "learner"_a, "arm"_a, "reward"_a, nb::kw_only(),
          "context"_a = nb::none(),
          nb::sig("def observe(self, learner: int | str, arm: int | str, "
                  "reward: float, *, context: Row | None = None) -> None"),
          "Learns a reward of an arm without a decision.")
      .def(
          "observe_features",
          [](PyPopulation& self, nb::handle learner, nb::handle features,
             double reward, nb::handle context) {
            self.ObserveFeatures(ParseLearner(learner), ParseRow(features),
                                 reward, ParseContext(context));
          },
          "learner"_a, "features"_a, "reward"_a, nb::kw_only(),
          "context"_a = nb::none(),
          nb::sig("def observe_features(self, learner: int | str, features: "
                  "Row, reward: float, *, context: Row | None = None) -> None"),
          "Learns a reward of features, for instance of an arm that was "
          "removed.");
}

// Of a learner that does not exist, they say what one knows that has learned
// nothing.
void BindKnowledge(PopulationClass& population) {
  population
      .def(
          "predict",
          [](const PyPopulation& self, nb::handle learner, nb::handle features,
             nb::handle context, nb::handle contexts) -> nb::object {
            const PyRows parsed =
                ParseRows(features, self.options().dim, Rows::kEither);
            std::vector<double> rewards = self.Predict(
                ParseLearner(learner), parsed.rows,
                ParseOneOrAll(context, contexts, parsed.rows.rows(),
                              self.options().context_dim));
            if (parsed.is_one) return nb::float_(rewards.front());
            return Array(std::move(rewards));
          },
          "learner"_a, "features"_a, nb::kw_only(), "context"_a = nb::none(),
          "contexts"_a = nb::none(),
          nb::sig("def predict(self, learner: int | str, features: Row | "
                  "Features, *, context: Row | None = None, contexts: Features "
                  "| None = None) -> float | "
                  "numpy.typing.NDArray[numpy.float64]"),
          "The rewards that a learner expects of rows of features, as an "
          "array; for a single row, a float. contexts has a row for each row "
          "of features, context is that of all.")
      .def(
          "scores",
          [](const PyPopulation& self, nb::handle learner, nb::handle ids,
             nb::handle context) {
            return Array(self.Scores(ParseLearner(learner), ParseIds(ids, kIds),
                                     ParseContext(context)));
          },
          "learner"_a, "ids"_a, nb::kw_only(), "context"_a = nb::none(),
          nb::sig("def scores(self, learner: int | str, ids: Ids, *, context: "
                  "Row | None = None) -> numpy.typing.NDArray[numpy.float64]"),
          "The rewards that a learner expects of arms.")
      .def(
          "uncertainty",
          [](const PyPopulation& self, nb::handle learner, nb::handle ids,
             nb::handle context) {
            return Array(self.Uncertainty(ParseLearner(learner),
                                          ParseIds(ids, kIds),
                                          ParseContext(context)));
          },
          "learner"_a, "ids"_a, nb::kw_only(), "context"_a = nb::none(),
          nb::sig(
              "def uncertainty(self, learner: int | str, ids: Ids, *, context: "
              "Row | None = None) -> numpy.typing.NDArray[numpy.float64]"),
          "The exploration times the width of arms for a learner, as that of a "
          "Bandit.")
      .def(
          "mean",
          [](const PyPopulation& self, nb::handle learner) {
            return MeanArray(self.population().Mean(ParseLearner(learner)),
                             self.options());
          },
          "learner"_a,
          nb::sig("def mean(self, learner: int | str) -> "
                  "numpy.typing.NDArray[numpy.float64]"),
          "What a learner has learned: the expected reward of features x is "
          "mean @ x. With negative_rewards there is one more value, a constant "
          "to be added. With contexts it is a matrix, as that of a Bandit.");
}

void BindLearners(PopulationClass& population) {
  population
      .def_prop_ro(
          "learners",
          [](const PyPopulation& self) {
            nb::list keys;
            for (const LearnerKey& key : self.Learners()) {
              keys.append(KeyObject(key));
            }
            return keys;
          },
          nb::for_getter(nb::sig("def learners(self) -> list[int | str]")),
          "The keys of all learners: ints in ascending order, then strings. "
          "Costs O(n log n).")
      .def(
          "knows",
          [](const PyPopulation& self, nb::handle learner) {
            return self.population().Knows(ParseLearner(learner));
          },
          "learner"_a, nb::sig("def knows(self, learner: int | str) -> bool"),
          "Whether the learner exists: whether it has chosen or learned.")
      .def(
          "describe",
          [](const PyPopulation& self, nb::handle learner) {
            const LearnerInfo info =
                self.population().Describe(ParseLearner(learner));
            nb::dict dict;
            dict["choices"] = info.choices;
            dict["rewards"] = info.rewards;
            dict["pending"] = info.pending;
            return dict;
          },
          "learner"_a,
          nb::sig("def describe(self, learner: int | str) -> dict[str, int]"),
          "How often a learner has chosen, how many rewards it has learned, "
          "and how many decisions are pending. Raises UnknownIdError, a "
          "KeyError.")
      .def(
          "forget",
          [](PyPopulation& self, nb::handle learner) {
            self.Forget(ParseLearner(learner));
          },
          "learner"_a, nb::sig("def forget(self, learner: int | str) -> None"),
          "Forgets a learner and all that it has learned. Raises "
          "UnknownIdError, a KeyError.")
      .def(
          "forget",
          [](PyPopulation& self, nb::handle learner, double share) {
            self.Forget(ParseLearner(learner), share);
          },
          "learner"_a, "share"_a,
          nb::sig("def forget(self, learner: int | str, share: float) -> None"),
          "Forgets a share, between 0 and 1, of what a learner has learned, "
          "which stays: all its rewards so far count 1 - share times as much. "
          "Raises UnknownIdError, a KeyError.")
      .def(
          "export_learner",
          [](const PyPopulation& self, nb::handle learner) {
            const std::string bytes = self.Export(ParseLearner(learner));
            return nb::bytes(bytes.data(), bytes.size());
          },
          "learner"_a,
          nb::sig("def export_learner(self, learner: int | str) -> bytes"),
          "A learner as bytes that any store can keep: what it has learned, "
          "its counters and its pending decisions. Raises UnknownIdError, a "
          "KeyError.")
      .def(
          "import_learner",
          [](PyPopulation& self, nb::handle learner, nb::handle data) {
            const nb::bytes bytes(
                nb::steal<nb::bytes>(PyBytes_FromObject(data.ptr())));
            if (!bytes.is_valid()) throw nb::python_error();
            self.Import(ParseLearner(learner),
                        std::string_view(bytes.c_str(), bytes.size()));
          },
          "learner"_a, "data"_a,
          nb::sig("def import_learner(self, learner: int | str, data: bytes | "
                  "bytearray | memoryview) -> None"),
          "The learner becomes the one that was exported, whether it existed "
          "or not. Raises CorruptFileError for other bytes, and "
          "InvalidArgumentError for a learner of a population with other "
          "options.")
      .def(
          "seed_of",
          [](const PyPopulation& self, nb::handle learner) {
            return self.population().LoneOptions(ParseLearner(learner)).seed;
          },
          "learner"_a, nb::sig("def seed_of(self, learner: int | str) -> int"),
          "The seed of a Bandit that decides as this learner does, if it has "
          "the same options and arms, and prior_of(learner) for a prior.")
      .def(
          "prior_of",
          [](const PyPopulation& self, nb::handle learner) {
            return self.population().LoneOptions(ParseLearner(learner)).prior;
          },
          "learner"_a,
          nb::sig("def prior_of(self, learner: int | str) -> Prior | None"),
          "The prior that this learner began with, or would begin with now; "
          "None stands for mean 0 and regularisation times the identity.")
      .def(
          "learn_prior", [](PyPopulation& self) { return self.LearnPrior(); },
          nb::sig("def learn_prior(self) -> bool"),
          "Learns a shared prior from all learners now. (With more than a "
          "thousand, from a sample of them.) Returns False, and the prior "
          "stays, if nothing was learned yet or the prior cannot be computed."
          "\nRaises UnsupportedError if the prior is not shared.");
}

void BindProperties(PopulationClass& population) {
  population
      .def_prop_ro(
          "dim", [](const PyPopulation& self) { return self.options().dim; },
          "The number of features of an arm.")
      .def_prop_ro(
          "policy",
          [](const PyPopulation& self) {
            return std::string(PolicyName(self.options().policy));
          },
          "'ts' or 'ucb'.")
      .def_prop_ro(
          "search",
          [](const PyPopulation& self) {
            return SearchObject(self.options().search);
          },
          nb::for_getter(
              nb::sig(("def search(self) -> " + SearchClasses()).c_str())),
          "The search with its options.")
      .def_prop_ro(
          "exploration",
          [](const PyPopulation& self) {
            return ExplorationOf(self.options().policy);
          },
          "A number or a TheoryRadius.")
      .def_prop_ro(
          "regularisation",
          [](const PyPopulation& self) {
            return self.options().regularisation;
          },
          "Lambda in the paper.")
      .def_prop_ro(
          "prior",
          [](const PyPopulation& self) { return self.population().Prior(); },
          nb::for_getter(nb::sig("def prior(self) -> Prior")),
          "What a new learner begins with now.")
      .def_prop_ro(
          "negative_rewards",
          [](const PyPopulation& self) {
            return self.options().negative_rewards;
          },
          "Whether the largest mean reward may be negative.")
      .def_prop_ro(
          "rewards",
          [](const PyPopulation& self) {
            return std::string(RewardModelName(self.options().rewards));
          },
          "'linear' or 'clicks'.")
      .def_prop_ro(
          "forgetting",
          [](const PyPopulation& self) { return self.options().forgetting; },
          "What earlier rewards count is multiplied by this with each reward.")
      .def_prop_ro(
          "explore_uniform",
          [](const PyPopulation& self) {
            return self.options().explore_uniform;
          },
          "The probability with which a choice is drawn uniformly among the "
          "eligible arms.")
      .def_prop_ro(
          "context_dim",
          [](const PyPopulation& self) { return self.options().context_dim; },
          "The number of values of a context; 0 without contexts.")
      .def_prop_ro(
          "context_constants",
          [](const PyPopulation& self) {
            return self.options().context_constants;
          },
          "Whether a constant 1 is appended to contexts and features.")
      .def_prop_ro(
          "seed", [](const PyPopulation& self) { return self.options().seed; },
          "The seed from which those of all learners are made.")
      .def_prop_ro(
          "max_pending",
          [](const PyPopulation& self) { return self.options().max_pending; },
          "Rewards can be learned for this number of a learner's latest "
          "decisions.")
      .def_prop_ro(
          "order_budget",
          [](const PyPopulation& self) { return self.options().order_budget; },
          "The bytes that certified search may use for learners that choose "
          "often, all together.")
      .def_prop_ro(
          "stats",
          [](const PyPopulation& self) { return StatsDict(self.stats()); },
          nb::for_getter(nb::sig("def stats(self) -> dict[str, int | float]")),
          "What Bandit.stats has, as sums over all learners, and what there is "
          "now: learners and their learner_bytes, and the finders of those "
          "that choose often with their finder_bytes. prior_refits counts how "
          "often a shared prior was learned.")
      .def("__repr__", [](const PyPopulation& self) {
        return fmt::format(
            "<manyarms.Population policy='{}' search='{}' dim={}{} arms={} "
            "learners={}>",
            PolicyName(self.options().policy),
            SearchName(self.options().search), self.options().dim,
            ContextText(self.options().context_dim), self.size(),
            self.population().learners());
      });
}

}  // namespace

void BindPopulation(nb::module_& module) {
  PopulationClass population(module, "Population", nb::is_weak_referenceable(),
                             R"(Many learners over one set of arms.

Each learner, named by an int or a string, has its own rewards and decides as a
Bandit of its own would. A learner exists from its first choice or its first
reward on. Any thread may call any method at any time; calls for different
learners run at the same time. After an exception everything is as it was before,
but after a MemoryError (other than TooLargeError) while arms are added, removed
or updated, the population must not be used any more.)");
  BindConstruction(population);
  BindFiles(population);
  BindArms(population);
  BindChoices(population);
  BindLearning(population);
  BindKnowledge(population);
  BindLearners(population);
  BindProperties(population);
  BindPolicyFields(population);
}

}  // namespace manyarms::python
