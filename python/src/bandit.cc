#include "bandit.h"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "kind_text.h"
#include "options.h"
#include "py_bandit.h"
#include "rows.h"

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

// Makes an object of `cls`, which may be a subclass, without calling its
// __init__.
nb::object Load(nb::handle cls, const std::filesystem::path& path) {
  nb::object bandit = nb::inst_alloc(cls);
  {
    const nb::gil_scoped_release release;
    new (nb::inst_ptr<PyBandit>(bandit)) PyBandit(path);
  }
  nb::inst_mark_ready(bandit);
  return bandit;
}

void BindConstruction(BanditClass& bandit) {
  const BanditOptions defaults;
  bandit
      .def(
          "__init__",
          [](PyBandit* self, nb::handle dim, const std::string& policy,
             const PySearch& search, const PyExploration& exploration,
             double regularisation, bool negative_rewards, nb::handle seed,
             nb::handle max_pending, const nb::kwargs& policy_options) {
            new (self) PyBandit({.dim = ParseNumber(dim, {"dim", "an int"}),
                                 .policy = MakePolicyOptions(
                                     policy, exploration, policy_options),
                                 .search = MakeSearchOptions(search),
                                 .regularisation = regularisation,
                                 .negative_rewards = negative_rewards,
                                 .seed = ParseNumber(seed, {"seed", "an int"}),
                                 .max_pending = ParseNumber(
                                     max_pending, {"max_pending", "an int"})});
          },
          "dim"_a, "policy"_a = std::string(PolicyName(defaults.policy)),
          "search"_a = std::string(SearchName(defaults.search)),
          "exploration"_a = 2.0, nb::kw_only(),
          "regularisation"_a = defaults.regularisation,
          "negative_rewards"_a = defaults.negative_rewards,
          "seed"_a = defaults.seed, "max_pending"_a = defaults.max_pending,
          "policy_options"_a, nb::sig(BanditSignature().c_str()),
          BanditHelp().c_str())
      .def(
          "save",
          [](const PyBandit& self, const std::filesystem::path& path) {
            self.Save(path);
          },
          "path"_a,
          nb::sig("def save(self, path: str | os.PathLike[str]) -> None"),
          "Writes everything to a file, whole or not at all: options, arms, "
          "what was learned, pending decisions.\nA bandit with certified "
          "search or scan that is loaded decides as this one would have.")
      .def(
          "__getstate__",
          [](nb::handle self) {
            const std::string bytes = nb::cast<PyBandit&>(self).Bytes();
            // Subclasses may have further attributes.
            return nb::make_tuple(nb::bytes(bytes.data(), bytes.size()),
                                  nb::getattr(self, "__dict__", nb::dict()));
          },
          nb::sig("def __getstate__(self) -> tuple[bytes, dict[str, "
                  "typing.Any]]"))
      .def(
          "__setstate__",
          [](PyBandit& self, const nb::tuple& state) {
            const auto bytes = nb::cast<nb::bytes>(state[0]);
            const auto more = nb::cast<nb::dict>(state[1]);
            const std::string_view view(bytes.c_str(), bytes.size());
            {
              const nb::gil_scoped_release release;
              new (&self) PyBandit(view);
            }
            if (more.size() > 0) {
              nb::find(&self).attr("__dict__").attr("update")(more);
            }
          },
          nb::sig("def __setstate__(self, state: tuple[bytes, dict[str, "
                  "typing.Any]], /) -> None"));
  // nanobind has no class methods.
  bandit.attr("load") = nb::steal(PyClassMethod_New(
      nb::cpp_function(
          &Load, nb::name("load"), nb::scope(bandit), "cls"_a, "path"_a,
          nb::sig("def load(cls, path: str | os.PathLike[str]) -> "
                  "typing_extensions.Self"),
          "Reads back what save has written, by this version or an earlier "
          "one. Raises CorruptFileError for what it has not written, "
          "UnsupportedError for formats of later versions, and OSErrors. "
          "Asked of a subclass it makes one, without calling its __init__.")
          .ptr()));
}

void BindArms(BanditClass& bandit) {
  bandit
      .def(
          "add_arms",
          [](PyBandit& self, nb::handle ids, nb::handle features) {
            const PyIds parsed = ParseIds(ids, kIds);
            self.AddArms(parsed, ParseRows(features, self.options().dim).rows);
          },
          "ids"_a, "features"_a,
          nb::sig("def add_arms(self, ids: Ids, features: Features) -> None"),
          R"(Adds arms, all or none.

ids: ints or strings; a bandit's arms have the one or the other.
features: an array of float32, float64 or integers, or a list of lists, a row for
    each arm; copied once, to float32.)")
      .def(
          "remove_arms",
          [](PyBandit& self, nb::handle ids) {
            self.RemoveArms(ParseIds(ids, kIds));
          },
          "ids"_a, nb::sig("def remove_arms(self, ids: Ids) -> None"),
          "Removes arms, all or none. Rewards of their decisions can still be "
          "learned.")
      .def(
          "update_arms",
          [](PyBandit& self, nb::handle ids, nb::handle features) {
            const PyIds parsed = ParseIds(ids, kIds);
            self.UpdateArms(parsed,
                            ParseRows(features, self.options().dim).rows);
          },
          "ids"_a, "features"_a,
          nb::sig(
              "def update_arms(self, ids: Ids, features: Features) -> None"),
          "Gives arms new features, all or none. Pending decisions keep those "
          "that they were made by.")
      .def(
          "reserve",
          [](PyBandit& self, nb::handle arms) {
            self.Reserve(ParseNumber(arms, {"arms", "an int"}));
          },
          "arms"_a, nb::sig("def reserve(self, arms: int) -> None"),
          "Makes room for this number of arms in all; adding them is faster "
          "then.")
      .def_prop_ro(
          "ids", [](const PyBandit& self) { return AsArray(self.Ids()); },
          nb::for_getter(
              nb::sig("def ids(self) -> numpy.typing.NDArray[numpy.int64] | "
                      "numpy.typing.NDArray[numpy.uint64] | list[str]")),
          "All arms, in an order that changes only when arms come or go: the "
          "order of masks. An array of int64 (uint64 if an id is beyond that), "
          "or a list of strings. O(n).")
      .def("__len__", &PyBandit::size)
      .def(
          "__contains__",
          [](const PyBandit& self, nb::handle arm) {
            try {
              return self.Contains(ParseArm(arm));
            } catch (const nb::builtin_exception&) {
              return false;  // this cannot be an id
            }
          },
          nb::arg("arm").none(),
          nb::sig("def __contains__(self, arm: object, /) -> bool"));
}

void BindChoices(BanditClass& bandit) {
  bandit
      .def(
          "choose",
          [](PyBandit& self, nb::handle eligible) {
            return self.Choose(ParseEligible(eligible));
          },
          nb::kw_only(), "eligible"_a = nb::none(),
          nb::sig("def choose(self, *, eligible: Ids | Mask | None = None) -> "
                  "Decision"),
          R"(Chooses an arm.

eligible: ids of the arms that may be chosen, or a boolean array with a place
    for every arm in the order of `ids`. Exact, whatever the search.)")
      .def(
          "choose_many",
          [](PyBandit& self, nb::handle count, const std::string& mode,
             nb::handle eligible) {
            return self.ChooseMany(ParseNumber(count, {"count", "an int"}),
                                   ParseMany(mode), ParseEligible(eligible));
          },
          "count"_a, "mode"_a = "best", nb::kw_only(),
          "eligible"_a = nb::none(),
          nb::sig("def choose_many(self, count: int, mode: "
                  "typing.Literal['best', 'draws'] = 'best', *, "
                  "eligible: Ids | Mask | None = None) -> list[Decision]"),
          R"(Chooses several arms, without learning in between.

mode: 'best' is for a slate: the best arms of one draw, best first, no arm
    twice, and fewer than count if fewer are eligible. 'draws' is for as many
    users: count choices in a row, for which 'ts' draws anew each time.)");
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
          "Takes in the reward of a decision or of its id: later, in any "
          "order, "
          "once.\nRaises UnknownIdError, a KeyError, for a decision that was "
          "learned already or never made.")
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
          "Takes in the rewards of several decisions, all or none.")
      .def(
          "dismiss",
          [](PyBandit& self, nb::handle decision) {
            self.Dismiss(ParseDecision(decision));
          },
          "decision"_a,
          nb::sig("def dismiss(self, decision: Decision | int) -> None"),
          "Forgets a decision whose reward will never come.")
      .def(
          "observe",
          [](PyBandit& self, nb::handle arm, double reward) {
            self.Observe(ParseArm(arm), reward);
          },
          "arm"_a, "reward"_a,
          nb::sig("def observe(self, arm: int | str, reward: float) -> None"),
          "Takes in a reward that belongs to no decision.")
      .def(
          "observe_many",
          [](PyBandit& self, nb::handle arms, nb::handle rewards) {
            const PyIds ids = ParseIds(arms, {"arms", "ints or strings"});
            self.ObserveMany(ids, ParseRewards(rewards));
          },
          "arms"_a, "rewards"_a,
          nb::sig("def observe_many(self, arms: Ids, rewards: "
                  "collections.abc.Sequence[float] | "
                  "numpy.typing.NDArray[numpy.floating]) -> None"),
          "Takes in rewards of several arms, all or none; an arm may be there "
          "more than once.")
      .def(
          "observe_features",
          [](PyBandit& self, nb::handle features, double reward) {
            self.ObserveFeatures(ParseRow(features), reward);
          },
          "features"_a, "reward"_a,
          nb::sig("def observe_features(self, features: Row, reward: "
                  "float) -> None"),
          "Takes in a reward of features, for instance of an arm that is gone.")
      .def(
          "predict",
          [](const PyBandit& self, nb::handle features) -> nb::object {
            const PyRows parsed =
                ParseRows(features, self.options().dim, Rows::kEither);
            std::vector<double> rewards = self.Predict(parsed.rows);
            if (parsed.is_one) return nb::float_(rewards.front());
            return Array(std::move(rewards));
          },
          "features"_a,
          nb::sig("def predict(self, features: Row | Features) -> float | "
                  "numpy.typing.NDArray[numpy.float64]"),
          "The rewards that are expected of rows of features, as an array; of "
          "a single row, a float.");
}

// A property is None if the policy does not have the option.
void BindPolicyFields(BanditClass& bandit) {
  for (const PolicyField& field : PolicyFields()) {
    const std::string signature =
        fmt::format("def {}(self) -> {} | None", field.name, field.type);
    const std::string help = fmt::format("Of {} only.", field.owners);
    bandit.def_prop_ro(
        field.name.c_str(),
        [name = field.name](const PyBandit& self) {
          return PolicyValue(self.options().policy, name);
        },
        nb::for_getter(nb::sig(signature.c_str())), help.c_str());
  }
}

void BindKnowledge(BanditClass& bandit) {
  bandit
      .def(
          "features",
          [](const PyBandit& self, nb::handle ids) {
            return Array(self.Features(ParseIds(ids, kIds)),
                         self.options().dim);
          },
          "ids"_a,
          nb::sig("def features(self, ids: Ids) -> "
                  "numpy.typing.NDArray[numpy.float32]"),
          "The features of arms, a row for each. With negative_rewards a value "
          "may differ from the one given by its last bit.")
      .def(
          "scores",
          [](const PyBandit& self, nb::handle ids) {
            return Array(self.Scores(ParseIds(ids, kIds)));
          },
          "ids"_a,
          nb::sig("def scores(self, ids: Ids) -> "
                  "numpy.typing.NDArray[numpy.float64]"),
          "The rewards that are expected of arms.")
      .def(
          "uncertainty",
          [](const PyBandit& self, nb::handle ids) {
            return Array(self.Uncertainty(ParseIds(ids, kIds)));
          },
          "ids"_a,
          nb::sig("def uncertainty(self, ids: Ids) -> "
                  "numpy.typing.NDArray[numpy.float64]"),
          "The exploration times the width of arms, in the rewards' units: the "
          "standard deviation of a draw ('ts'), what is added to the expected "
          "reward ('ucb'), what arms are chosen by ('elim').")
      .def_prop_ro(
          "mean", [](const PyBandit& self) { return Array(self.Mean()); },
          nb::for_getter(
              nb::sig("def mean(self) -> numpy.typing.NDArray[numpy.float64]")),
          "What was learned: the reward expected of features x is mean @ x. "
          "With negative_rewards there is one value more, a constant to be "
          "added.");
}

void BindProperties(BanditClass& bandit) {
  bandit
      .def_prop_ro(
          "dim", [](const PyBandit& self) { return self.options().dim; },
          "Features of an arm.")
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
          "With its options.")
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
          "negative_rewards",
          [](const PyBandit& self) { return self.options().negative_rewards; },
          "Whether the largest mean reward may be negative.")
      .def_prop_ro(
          "seed", [](const PyBandit& self) { return self.options().seed; },
          "What all draws depend on.")
      .def_prop_ro(
          "max_pending",
          [](const PyBandit& self) { return self.options().max_pending; },
          "The number of decisions, counted back from the last, whose rewards "
          "can still be learned.")
      .def_prop_ro("pending", &PyBandit::pending,
                   "How many decisions wait for their reward.")
      .def_prop_ro(
          "stats", [](const PyBandit& self) { return StatsDict(self.stats()); },
          nb::for_getter(nb::sig("def stats(self) -> dict[str, int | float]")),
          "What choices have cost so far. Of all searches: arms_scored; of "
          "certified: snapshots, snapshot_seconds, arms_bounded, checks; of "
          "lsh and lsh-theory: directions, scans; of elim: eliminations, "
          "recoveries.")
      .def("__repr__", [](const PyBandit& self) {
        return fmt::format(
            "<manyarms.Bandit policy='{}' search='{}' dim={} arms={} "
            "pending={}>",
            PolicyName(self.options().policy),
            SearchName(self.options().search), self.options().dim, self.size(),
            self.pending());
      });
}

}  // namespace

void BindBandit(nb::module_& module) {
  BanditClass bandit(module, "Bandit", nb::is_weak_referenceable(),
                     R"(A linear bandit over arms that come and go.

Any thread may call any method at any time; changes (choosing is one) take
turns, and whatever takes longer lets other Python threads run. After an
exception the bandit is as it was before, but for a MemoryError that is no
TooLargeError, while arms come, go or are chosen: then it must not be used.)");
  BindConstruction(bandit);
  BindArms(bandit);
  BindChoices(bandit);
  BindLearning(bandit);
  BindKnowledge(bandit);
  BindProperties(bandit);
  BindPolicyFields(bandit);
}

}  // namespace manyarms::python
