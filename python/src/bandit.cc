#include "bandit.h"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "construction.h"
#include "contexts.h"
#include "kind_text.h"
#include "learning.h"
#include "options.h"
#include "prior.h"
#include "probabilities.h"
#include "py_bandit.h"
#include "rows.h"
#include "shared_methods.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace manyarms::python {
namespace {

PyBandit::Many ParseMany(const std::string& mode) {
  if (mode == "best") return PyBandit::Many::kBest;
  if (mode == "draws") return PyBandit::Many::kDraws;
  throw Error(
      ErrorCode::kInvalidArgument,
      fmt::format("there is no mode '{}', only 'best' and 'draws'", mode));
}

nb::dict StatsDict(const PolicyStats& stats) {
  nb::dict dict;
  ForEachPolicyCounter(
      [&dict](const char* name, const auto& counter) { dict[name] = counter; },
      stats);
  return dict;
}

using BanditClass = nb::class_<PyBandit>;

void BindChoices(BanditClass& bandit) {
  bandit
      .def(
          "choose",
          [](PyBandit& self, nb::handle eligible, nb::handle context) {
            return self.Choose(ParseEligible(eligible), ParseContext(context));
          },
          nb::kw_only(), "eligible"_a = nb::none(), "context"_a = nb::none(),
          nb::sig("def choose(self, *, eligible: Ids | Mask | None = None, "
                  "context: Row | None = None) -> Decision"),
          R"(Chooses an arm.

eligible: ids of the arms that may be chosen, or a boolean array with a value
    for every arm in the order of `ids`. The choice among them is exact with
    every search.
context: context_dim numbers, which the decision keeps until its reward is
    learned.)")
      .def(
          "choose_many",
          [](PyBandit& self, nb::handle count, const std::string& mode,
             nb::handle eligible, nb::handle context, nb::handle contexts) {
            const PyBandit::Many many = ParseMany(mode);
            if (many == PyBandit::Many::kBest && !contexts.is_none()) {
              throw Error(ErrorCode::kInvalidArgument,
                          "contexts given with mode 'best', which has one "
                          "context; must be mode 'draws'");
            }
            const std::size_t choices = ParseNumber(count, {"count", "an int"});
            return self.ChooseMany(choices, many, ParseEligible(eligible),
                                   ParseOneOrAll(context, contexts, choices,
                                                 self.options().context_dim));
          },
          "count"_a, "mode"_a = "best", nb::kw_only(),
          "eligible"_a = nb::none(), "context"_a = nb::none(),
          "contexts"_a = nb::none(),
          nb::sig("def choose_many(self, count: int, mode: "
                  "typing.Literal['best', 'draws'] = 'best', *, "
                  "eligible: Ids | Mask | None = None, context: Row | None = "
                  "None, contexts: Features | None = None) -> list[Decision]"),
          R"(Chooses several arms, without learning in between.

mode: 'best' is for the top k: the best arms of one draw, best first, no arm
    twice, and fewer than count if fewer are eligible. 'draws' is for count
    users: count choices one after another, each with a new draw of 'ts'.
context: that of all choices.
contexts: with 'draws', a row for each choice.)")
      .def(
          "propensity",
          [](PyBandit& self, nb::handle decision, nb::handle draws,
             nb::handle eligible, nb::handle context) {
            return AsPair(self.Propensity(
                ParseDecision(decision), ParseDraws(draws),
                ParseEligible(eligible), ParseContext(context)));
          },
          "decision"_a, "draws"_a = kDefaultDraws, nb::kw_only(),
          "eligible"_a = nb::none(), "context"_a = nb::none(),
          nb::sig("def propensity(self, decision: Decision | int, draws: int "
                  "= 1000, *, eligible: Ids | Mask | None = None, context: Row "
                  "| None = None) -> tuple[float, float]"),
          R"(The probability with which a decision's arm was chosen, and its standard error.

It must be asked for before anything is learned or forgotten and before arms
change; otherwise it raises OutdatedError. 'ucb' chooses with certainty. For 'ts'
it is the share of further draws for which the arm is the best. Those depend on
the seed and the decision alone, and no later decision depends on them.
explore_uniform is added exactly. 'elim' is refused.

This is for looking at. A log that will be evaluated needs logging_probability.

eligible: the arms among which the choice was made, if not among all.
context: need not be given; the decision has kept its own.)")
      .def(
          "logging_probability",
          [](PyBandit& self, nb::handle decision, nb::handle draws,
             nb::handle eligible, nb::handle context) {
            return self.LoggingProbability(
                ParseDecision(decision), ParseDraws(draws),
                ParseEligible(eligible), ParseContext(context));
          },
          "decision"_a, "draws"_a = kDefaultDraws, nb::kw_only(),
          "eligible"_a = nb::none(), "context"_a = nb::none(),
          nb::sig("def logging_probability(self, decision: Decision | int, "
                  "draws: int = 1000, *, eligible: Ids | Mask | None = None, "
                  "context: Row | None = None) -> float"),
          R"(The probability of a decision to write into a log.

It may be divided by, as evaluation does, which the share of 'propensity' may
not: a decision of the policy is one of the draws itself. With explore_uniform,
estimates from the log are without bias for any number of draws; without, the
value is at least 1/draws. Arguments and exceptions are those of 'propensity'.)")
      .def(
          "propensities",
          [](PyBandit& self, nb::handle arms, nb::handle draws,
             nb::handle eligible, nb::handle context) {
            return AsPair(self.Propensities(
                ParseIds(arms, {"arms", "ints or strings"}), ParseDraws(draws),
                ParseEligible(eligible), ParseContext(context)));
          },
          "arms"_a, "draws"_a = kDefaultDraws, nb::kw_only(),
          "eligible"_a = nb::none(), "context"_a = nb::none(),
          nb::sig("def propensities(self, arms: Ids, draws: int = 1000, *, "
                  "eligible: Ids | Mask | None = None, context: Row | None = "
                  "None) -> tuple[numpy.typing.NDArray[numpy.float64], "
                  "numpy.typing.NDArray[numpy.float64]]"),
          "The probabilities with which the next choice would be each of these "
          "arms, and their standard errors. Those of all eligible arms add up "
          "to 1.");
}

void BindLearning(BanditClass& bandit) {
  bandit
      .def(
          "learn",
          [](PyBandit& self, const PyDecision& decision, double reward) {
            self.Learn(decision, reward);
          },
          "decision"_a, "reward"_a)
      .def(
          "learn",
          [](PyBandit& self, nb::handle decision, double reward) {
            self.Learn(ParseDecision(decision), reward);
          },
          "decision"_a, "reward"_a,
          nb::sig("def learn(self, decision: int, reward: float) -> None"),
          "Learns the reward of a decision, which may be given by its id, once "
          "and in any order.\nRaises UnknownIdError, a KeyError, for a "
          "decision that was never made or is not pending any more.")
      .def(
          "learn_many",
          [](PyBandit& self, nb::handle decisions, nb::handle rewards) {
            const std::vector<DecisionOrId> parsed = ParseDecisions(decisions);
            self.LearnMany(parsed, ParseRewards(rewards));
          },
          "decisions"_a, "rewards"_a,
          nb::sig("def learn_many(self, decisions: collections.abc.Sequence["
                  "Decision | int] | numpy.typing.NDArray[numpy.integer], "
                  "rewards: collections.abc.Sequence[float] | "
                  "numpy.typing.NDArray[numpy.floating]) -> None"),
          "Learns the rewards of all of the decisions, or of none if it raises "
          "an exception.")
      .def(
          "dismiss",
          [](PyBandit& self, nb::handle decision) {
            self.Dismiss(ParseDecision(decision));
          },
          "decision"_a,
          nb::sig("def dismiss(self, decision: Decision | int) -> None"),
          "Forgets a decision whose reward will never come.")
      .def(
          "forget", [](PyBandit& self, double share) { self.Forget(share); },
          "share"_a,
          "Forgets this share, between 0 and 1, of what was learned, when "
          "something is known to have changed: all rewards so far count 1 - "
          "share times as much as before. 'ts' and 'ucb' only.")
      .def(
          "observe",
          [](PyBandit& self, nb::handle arm, double reward,
             nb::handle context) {
            self.Observe(ParseArm(arm), reward, ParseContext(context));
          },
          "arm"_a, "reward"_a, nb::kw_only(), "context"_a = nb::none(),
          nb::sig("def observe(self, arm: int | str, reward: float, *, "
                  "context: Row | None = None) -> None"),
          "Learns a reward of an arm without a decision.")
      .def(
          "observe_many",
          [](PyBandit& self, nb::handle arms, nb::handle rewards,
             nb::handle contexts) {
            const PyIds ids = ParseIds(arms, {"arms", "ints or strings"});
            self.ObserveMany(ids, ParseRewards(rewards),
                             ParseContexts(contexts, Count(ids),
                                           self.options().context_dim));
          },
          "arms"_a, "rewards"_a, nb::kw_only(), "contexts"_a = nb::none(),
          nb::sig("def observe_many(self, arms: Ids, rewards: "
                  "collections.abc.Sequence[float] | "
                  "numpy.typing.NDArray[numpy.floating], *, contexts: Features "
                  "| None = None) -> None"),
          "Learns rewards of arms without decisions: all of them, or none if "
          "it raises an exception. An arm may occur more than once. contexts "
          "has a row for each reward.")
      .def(
          "observe_features",
          [](PyBandit& self, nb::handle features, double reward,
             nb::handle context) {
            self.ObserveFeatures(ParseRow(features), reward,
                                 ParseContext(context));
          },
          "features"_a, "reward"_a, nb::kw_only(), "context"_a = nb::none(),
          nb::sig("def observe_features(self, features: Row, reward: float, *, "
                  "context: Row | None = None) -> None"),
          "Learns a reward of features, for instance of an arm that was "
          "removed.")
      .def(
          "predict",
          [](const PyBandit& self, nb::handle features, nb::handle context,
             nb::handle contexts) -> nb::object {
            const PyRows parsed =
                ParseRows(features, self.options().dim, Rows::kEither);
            std::vector<double> rewards = self.Predict(
                parsed.rows,
                ParseOneOrAll(context, contexts, parsed.rows.rows(),
                              self.options().context_dim));
            if (parsed.is_one) return nb::float_(rewards.front());
            return Array(std::move(rewards));
          },
          "features"_a, nb::kw_only(), "context"_a = nb::none(),
          "contexts"_a = nb::none(),
          nb::sig("def predict(self, features: Row | Features, *, context: Row "
                  "| None = None, contexts: Features | None = None) -> float | "
                  "numpy.typing.NDArray[numpy.float64]"),
          "The expected rewards of rows of features, as an array; for a single "
          "row, a float. contexts has a row for each row of features, context "
          "is that of all.");
}

void BindKnowledge(BanditClass& bandit) {
  bandit
      .def(
          "scores",
          [](const PyBandit& self, nb::handle ids, nb::handle context) {
            return Array(
                self.Scores(ParseIds(ids, kIds), ParseContext(context)));
          },
          "ids"_a, nb::kw_only(), "context"_a = nb::none(),
          nb::sig("def scores(self, ids: Ids, *, context: Row | None = None) "
                  "-> numpy.typing.NDArray[numpy.float64]"),
          "The expected rewards of arms.")
      .def(
          "uncertainty",
          [](const PyBandit& self, nb::handle ids, nb::handle context) {
            return Array(
                self.Uncertainty(ParseIds(ids, kIds), ParseContext(context)));
          },
          "ids"_a, nb::kw_only(), "context"_a = nb::none(),
          nb::sig(
              "def uncertainty(self, ids: Ids, *, context: Row | None = None) "
              "-> numpy.typing.NDArray[numpy.float64]"),
          "The exploration times the width of arms, in units of rewards: the "
          "standard deviation of a draw ('ts'), the number that is added to "
          "the expected reward ('ucb'), or the number by which arms are chosen "
          "('elim').")
      .def_prop_ro(
          "mean",
          [](const PyBandit& self) {
            return MeanArray(self.Mean(), self.options());
          },
          nb::for_getter(
              nb::sig("def mean(self) -> numpy.typing.NDArray[numpy.float64]")),
          "What was learned: the expected reward of features x is mean @ x. "
          "With negative_rewards there is one more value, a constant to be "
          "added. With contexts it is a matrix with a row for each value of a "
          "context and a column for each feature; the last row and the last "
          "column belong to the constants, if there are any. In context c the "
          "expected reward is [*c, 1] @ mean @ [*x, 1].");
}

void BindProperties(BanditClass& bandit) {
  bandit
      .def_prop_ro(
          "dim", [](const PyBandit& self) { return self.options().dim; },
          "The number of features of an arm.")
      .def_prop_ro(
          "policy",
          [](const PyBandit& self) {
            return std::string(PolicyName(self.options().policy));
          },
          (Quoted(PolicyKinds::Names(), "or") + ".").c_str())
      .def_prop_ro(
          "search",
          [](const PyBandit& self) {
            return SearchObject(self.options().search);
          },
          nb::for_getter(
              nb::sig(("def search(self) -> " + SearchClasses()).c_str())),
          "The search with its options.")
      .def_prop_ro(
          "exploration",
          [](const PyBandit& self) {
            return ExplorationOf(self.options().policy);
          },
          "A number or a TheoryRadius.")
      .def_prop_ro(
          "regularisation",
          [](const PyBandit& self) { return self.options().regularisation; },
          "Lambda in the paper.")
      .def_prop_ro(
          "prior", [](const PyBandit& self) { return self.options().prior; },
          nb::for_getter(nb::sig("def prior(self) -> Prior | None")),
          "What was known before the first reward; None stands for mean 0 and "
          "regularisation times the identity.")
      .def_prop_ro(
          "negative_rewards",
          [](const PyBandit& self) { return self.options().negative_rewards; },
          "Whether the largest mean reward may be negative.")
      .def_prop_ro(
          "rewards",
          [](const PyBandit& self) {
            return std::string(RewardModelName(self.options().rewards));
          },
          "'linear' or 'clicks'.")
      .def_prop_ro(
          "forgetting",
          [](const PyBandit& self) { return self.options().forgetting; },
          "What earlier rewards count is multiplied by this with each reward.")
      .def_prop_ro(
          "explore_uniform",
          [](const PyBandit& self) { return self.options().explore_uniform; },
          "The probability with which a choice is drawn uniformly among the "
          "eligible arms.")
      .def_prop_ro(
          "context_dim",
          [](const PyBandit& self) { return self.options().context_dim; },
          "The number of values of a context; 0 without contexts.")
      .def_prop_ro(
          "context_constants",
          [](const PyBandit& self) { return self.options().context_constants; },
          "Whether a constant 1 is appended to contexts and features.")
      .def_prop_ro(
          "seed", [](const PyBandit& self) { return self.options().seed; },
          "The seed of all random draws.")
      .def_prop_ro(
          "max_pending",
          [](const PyBandit& self) { return self.options().max_pending; },
          "Rewards can be learned for this number of the latest decisions.")
      .def_prop_ro("pending", &PyBandit::pending,
                   "The number of decisions whose reward may still be learned.")
      .def_prop_ro(
          "stats", [](const PyBandit& self) { return StatsDict(self.stats()); },
          nb::for_getter(nb::sig("def stats(self) -> dict[str, int | float]")),
          "Counts what choices have cost so far: arms_scored for all searches; "
          "snapshots, snapshot_seconds, arms_bounded, checks, first_passes, "
          "bytes_read and compact_bytes for certified; "
          "directions for lsh and lsh-theory; scans, the queries that were "
          "left to a scan, for these two and hnsw; eliminations and recoveries "
          "for elim.")
      .def("__repr__", [](const PyBandit& self) {
        return fmt::format(
            "<manyarms.Bandit policy='{}' search='{}' dim={}{} arms={} "
            "pending={}>",
            PolicyName(self.options().policy),
            SearchName(self.options().search), self.options().dim,
            ContextText(self.options().context_dim), self.size(),
            self.pending());
      });
}

}  // namespace

void BindBandit(nb::module_& module) {
  BanditClass bandit(
      module, "Bandit", nb::is_weak_referenceable(),
      R"(A linear bandit over arms that may be added and removed at any time.

Any thread may call any method at any time. Changes, of which choosing is one,
take turns, and a call that may take long lets other Python threads run. After
an exception the bandit is as it was before, but after a MemoryError (other than
TooLargeError) while arms are added, removed, updated or chosen, it must not be
used any more.)");
  BindConstruction(bandit);
  BindFiles(bandit);
  BindArms(bandit);
  BindChoices(bandit);
  BindLearning(bandit);
  BindKnowledge(bandit);
  BindProperties(bandit);
  BindPolicyFields(bandit);
}

}  // namespace manyarms::python
