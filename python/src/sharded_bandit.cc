#include "shards/sharded_bandit.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "construction.h"
#include "contexts.h"
#include "decision.h"
#include "messages.h"
#include "rows.h"
#include "shards.h"
#include "turns.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace manyarms::python {
namespace {

struct PyShardedBandit {
  explicit PyShardedBandit(const BanditOptions& options) : bandit(options) {}
  explicit PyShardedBandit(std::string_view saved)
      : bandit(ShardedBandit::Load(saved)) {}

  ShardedBandit bandit;
  Turns turns;
};

using LearnerClass = nb::class_<PyShardedBandit>;

PyDecision AsPyDecision(const Decision& decision) {
  return {.id = decision.id,
          .arm = decision.arm,
          .score = decision.score,
          .number = decision.arm,
          .eligible = decision.eligible,
          .uniform = decision.uniform};
}

// The number of a decision, which must be this bandit's.
DecisionId OurId(const PyShardedBandit& self, const DecisionOrId& decision) {
  if (const auto* id = std::get_if<DecisionId>(&decision)) return *id;
  const auto& whole = std::get<PyDecision>(decision);
  self.bandit.CheckPending({.id = whole.id, .arm = whole.number});
  return whole.id;
}

// What may be chosen, as Python says it.
class PyEligible {
 public:
  PyEligible(nb::handle among, nb::handle eligible) {
    if (!among.is_none() && !eligible.is_none()) {
      throw Error(ErrorCode::kInvalidArgument,
                  "among and eligible given, must be one of them");
    }
    if (!among.is_none()) {
      ids_ = ParseNumbers(among);
      arms_ = std::span<const ArmId>(ids_);
    }
    if (!eligible.is_none()) {
      arms_ = ShardedBandit::Elsewhere{
          ParseNumber(eligible, {"eligible", "an int"})};
    }
  }
  PyEligible(const PyEligible&) = delete;
  PyEligible& operator=(const PyEligible&) = delete;

  const ShardedBandit::EligibleInShards& arms() const { return arms_; }

 private:
  Numbers ids_;
  ShardedBandit::EligibleInShards arms_;
};

using Chosen = std::optional<std::vector<Decision>>;

std::optional<std::vector<PyDecision>> AsPyDecisions(const Chosen& chosen) {
  if (!chosen) return std::nullopt;
  std::vector<PyDecision> decisions;
  decisions.reserve(chosen->size());
  for (const Decision& decision : *chosen) {
    decisions.push_back(AsPyDecision(decision));
  }
  return decisions;
}

std::optional<std::vector<PyDecision>> ChooseBest(PyShardedBandit& self,
                                                  nb::handle count,
                                                  nb::handle among,
                                                  nb::handle context,
                                                  nb::handle eligible) {
  const std::size_t wanted = ParseNumber(count, {"count", "an int"});
  const PyEligible some(among, eligible);
  const std::vector<float> values = ParseContext(context);
  return AsPyDecisions(self.turns.ChangeAside(
      [&] { return self.bandit.ChooseBest(wanted, some.arms(), values); }));
}

std::optional<std::vector<PyDecision>> ChooseDraws(
    PyShardedBandit& self, nb::handle count, nb::handle among,
    nb::handle eligible, nb::handle context, nb::handle contexts) {
  const std::size_t wanted = ParseNumber(count, {"count", "an int"});
  const PyEligible some(among, eligible);
  const std::vector<float> values = ParseOneOrAll(
      context, contexts, wanted, self.bandit.options().context_dim);
  return AsPyDecisions(self.turns.ChangeAside(
      [&] { return self.bandit.ChooseDraws(wanted, some.arms(), values); }));
}

void BindChoices(LearnerClass& learner) {
  learner
      .def(
          "choose",
          [](PyShardedBandit& self,
             nb::handle context) -> std::optional<PyDecision> {
            const std::vector<float> values = ParseContext(context);
            const auto chosen = self.turns.ChangeAside(
                [&] { return self.bandit.Choose(values); });
            if (!chosen) return std::nullopt;
            return AsPyDecision(*chosen);
          },
          "context"_a = nb::none(),
          nb::sig("def choose(self, context: Row | None = None) -> Decision | "
                  "None"),
          "Chooses an arm; None if the shards must be asked first.")
      .def(
          "choose_best", &ChooseBest, "count"_a, "among"_a = nb::none(),
          "context"_a = nb::none(), "eligible"_a = nb::none(),
          nb::sig("def choose_best(self, count: int, among: Ids | None = "
                  "None, context: Row | None = None, eligible: int | None = "
                  "None) -> list[Decision] | None"),
          R"(Chooses the best arms of one draw; None if the shards must be asked first.

among: ids of the arms that may be chosen.
eligible: the number of arms that may be chosen, if only the shards know which
    they are.)")
      .def(
          "choose_draws", &ChooseDraws, "count"_a, "among"_a = nb::none(),
          "eligible"_a = nb::none(), "context"_a = nb::none(),
          "contexts"_a = nb::none(),
          nb::sig("def choose_draws(self, count: int, among: Ids | None = "
                  "None, eligible: int | None = None, context: Row | None = "
                  "None, contexts: Features | None = None) -> list[Decision] | "
                  "None"),
          "Makes count choices, all of them or none; None if the shards must "
          "be asked first, perhaps several times.")
      .def(
          "drop_draws",
          [](PyShardedBandit& self) {
            self.turns.Change([&] { self.bandit.DropDraws(); });
          },
          "Gives up choices that wait for an answer.")
      .def(
          "question",
          [](const PyShardedBandit& self) {
            return AsBytes(
                self.turns.Read([&] { return self.bandit.question(); }));
          },
          "What to ask the shards after a choice returned None.")
      .def(
          "answer",
          [](PyShardedBandit& self, const std::vector<nb::bytes>& answers) {
            const std::vector<std::string> copies = CopyAll(answers);
            self.turns.ChangeAside([&] { self.bandit.Answer(copies); });
          },
          "answers"_a,
          "Takes the answers of all shards that have eligible arms. They serve "
          "the next choice only.");
}

void BindSurveys(LearnerClass& learner) {
  learner
      .def("wants_survey",
           [](const PyShardedBandit& self) {
             return self.turns.Read([&] { return self.bandit.wants_survey(); });
           })
      .def(
          "survey_request",
          [](PyShardedBandit& self) {
            return AsBytes(self.turns.ChangeAside(
                [&] { return self.bandit.RequestSurvey(); }));
          },
          "Begins a survey: what to ask all shards.")
      .def(
          "adopt",
          [](PyShardedBandit& self, const std::vector<nb::bytes>& surveys) {
            const std::vector<std::string> copies = CopyAll(surveys);
            return self.turns.ChangeAside(
                [&] { return self.bandit.Adopt(copies); });
          },
          "surveys"_a,
          "Ends the survey with what all shards have found. False if it is of "
          "no use.")
      .def("abandon_survey", [](PyShardedBandit& self) {
        self.turns.Change([&] { self.bandit.AbandonSurvey(); });
      });
}

void BindArms(LearnerClass& learner) {
  learner
      .def(
          "added",
          [](PyShardedBandit& self, nb::handle ids, nb::handle features) {
            const Numbers numbers = ParseNumbers(ids);
            const PyRows rows = ParseRows(features, self.bandit.options().dim);
            self.turns.ChangeAside(
                [&] { self.bandit.Added(numbers, rows.rows); });
          },
          "ids"_a, "features"_a,
          nb::sig("def added(self, ids: Ids, features: Features) -> None"),
          "The shards have these arms from now on.")
      .def(
          "removed",
          [](PyShardedBandit& self, nb::handle ids) {
            const Numbers numbers = ParseNumbers(ids);
            self.turns.ChangeAside([&] { self.bandit.Removed(numbers); });
          },
          "ids"_a, nb::sig("def removed(self, ids: Ids) -> None"),
          "The shards do not have these arms any more.")
      .def(
          "updated",
          [](PyShardedBandit& self, nb::handle ids, nb::handle features) {
            const Numbers numbers = ParseNumbers(ids);
            const PyRows rows = ParseRows(features, self.bandit.options().dim);
            self.turns.ChangeAside(
                [&] { self.bandit.Updated(numbers, rows.rows); });
          },
          "ids"_a, "features"_a,
          nb::sig("def updated(self, ids: Ids, features: Features) -> None"),
          "These arms have other features from now on.")
      .def(
          "loaded",
          [](PyShardedBandit& self, nb::handle arms) {
            const std::size_t count = ParseNumber(arms, {"arms", "an int"});
            self.turns.ChangeAside([&] { self.bandit.Loaded(count); });
          },
          "arms"_a, nb::sig("def loaded(self, arms: int) -> None"),
          "The shards have added this number of arms on their own. All choices "
          "are sent until the next survey.")
      .def("__len__", [](const PyShardedBandit& self) {
        return self.turns.Read([&] { return self.bandit.size(); });
      });
}

void BindLearning(LearnerClass& learner) {
  learner
      .def(
          "learn",
          [](PyShardedBandit& self, nb::handle decision, double reward) {
            const DecisionOrId parsed = ParseDecision(decision);
            self.turns.Change(
                [&] { self.bandit.Learn(OurId(self, parsed), reward); });
          },
          "decision"_a, "reward"_a,
          nb::sig("def learn(self, decision: Decision | int, reward: float) -> "
                  "None"))
      .def(
          "learn_many",
          [](PyShardedBandit& self, nb::handle decisions, nb::handle rewards) {
            const std::vector<DecisionOrId> parsed = ParseDecisions(decisions);
            const std::vector<double> given = ParseRewards(rewards);
            self.turns.ChangeAside([&] {
              std::vector<DecisionId> ids;
              ids.reserve(parsed.size());
              for (const DecisionOrId& decision : parsed) {
                ids.push_back(OurId(self, decision));
              }
              self.bandit.Learn(ids, given);
            });
          },
          "decisions"_a, "rewards"_a,
          nb::sig("def learn_many(self, decisions: collections.abc.Sequence["
                  "Decision | int] | numpy.typing.NDArray[numpy.integer], "
                  "rewards: collections.abc.Sequence[float] | "
                  "numpy.typing.NDArray[numpy.floating]) -> None"))
      .def(
          "dismiss",
          [](PyShardedBandit& self, nb::handle decision) {
            const DecisionOrId parsed = ParseDecision(decision);
            self.turns.Change(
                [&] { self.bandit.Dismiss(OurId(self, parsed)); });
          },
          "decision"_a,
          nb::sig("def dismiss(self, decision: Decision | int) -> None"))
      .def(
          "observe",
          [](PyShardedBandit& self, nb::handle features, double reward,
             nb::handle context) {
            const std::vector<float> row = ParseRow(features);
            const std::vector<float> values = ParseContext(context);
            self.turns.Change(
                [&] { self.bandit.Observe(row, reward, values); });
          },
          "features"_a, "reward"_a, nb::kw_only(), "context"_a = nb::none(),
          nb::sig("def observe(self, features: Row, reward: float, *, context: "
                  "Row | None = None) -> None"),
          "Learns a reward of features without a decision.")
      .def(
          "observe_arms",
          [](PyShardedBandit& self, const std::vector<nb::bytes>& sent,
             nb::handle arms, nb::handle rewards, nb::handle contexts) {
            const std::vector<std::string> copies = CopyAll(sent);
            const Numbers ids = ParseNumbers(arms);
            const std::vector<double> given = ParseRewards(rewards);
            const std::vector<float> values = ParseContexts(
                contexts, ids.size(), self.bandit.options().context_dim);
            self.turns.ChangeAside(
                [&] { self.bandit.ObserveArms(copies, ids, given, values); });
          },
          "sent"_a, "arms"_a, "rewards"_a, nb::kw_only(),
          "contexts"_a = nb::none(),
          nb::sig("def observe_arms(self, sent: collections.abc.Sequence[bytes]"
                  ", arms: Ids, rewards: collections.abc.Sequence[float] | "
                  "numpy.typing.NDArray[numpy.floating], *, contexts: Features "
                  "| None = None) -> None"),
          "Learns rewards of arms, or none if it raises an exception. sent is "
          "what ArmShard.send has returned about them: unlike their features, "
          "that is exactly the shard's.")
      .def(
          "forget",
          [](PyShardedBandit& self, double share) {
            self.turns.Change([&] { self.bandit.Forget(share); });
          },
          "share"_a)
      .def(
          "predict",
          [](const PyShardedBandit& self, nb::handle features,
             nb::handle context, nb::handle contexts) -> nb::object {
            const BanditOptions& options = self.bandit.options();
            const PyRows parsed =
                ParseRows(features, options.dim, Rows::kEither);
            const std::vector<float> values = ParseOneOrAll(
                context, contexts, parsed.rows.rows(), options.context_dim);
            std::vector<double> rewards = self.turns.ReadAside(
                [&] { return self.bandit.Predict(parsed.rows, values); });
            if (parsed.is_one) return nb::float_(rewards.front());
            return Array(std::move(rewards));
          },
          "features"_a, nb::kw_only(), "context"_a = nb::none(),
          "contexts"_a = nb::none(),
          nb::sig("def predict(self, features: Row | Features, *, context: Row "
                  "| None = None, contexts: Features | None = None) -> float | "
                  "numpy.typing.NDArray[numpy.float64]"))
      .def(
          "uncertainty",
          [](const PyShardedBandit& self, nb::handle features,
             nb::handle context) {
            const PyRows parsed =
                ParseRows(features, self.bandit.options().dim);
            const std::vector<float> values = ParseContext(context);
            return Array(self.turns.ReadAside(
                [&] { return self.bandit.Uncertainty(parsed.rows, values); }));
          },
          "features"_a, nb::kw_only(), "context"_a = nb::none(),
          nb::sig("def uncertainty(self, features: Features, *, context: Row | "
                  "None = None) -> numpy.typing.NDArray[numpy.float64]"),
          "The uncertainty of arms with these features, as that of a Bandit.")
      .def_prop_ro(
          "mean",
          [](const PyShardedBandit& self) {
            return MeanArray(
                self.turns.Read([&] { return self.bandit.Mean(); }),
                self.bandit.options());
          },
          nb::for_getter(
              nb::sig("def mean(self) -> numpy.typing.NDArray[numpy.float64]")))
      .def_prop_ro("pending", [](const PyShardedBandit& self) {
        return self.turns.Read([&] { return self.bandit.pending(); });
      });
}

void BindRest(LearnerClass& learner) {
  learner
      .def_prop_ro(
          "options",
          [](const PyShardedBandit& self) {
            return KeywordOptions(self.bandit.options());
          },
          nb::for_getter(nb::sig("def options(self) -> dict[str, typing.Any]")),
          "The arguments with which it was made.")
      .def_prop_ro(
          "stats",
          [](const PyShardedBandit& self) {
            const ShardedStats stats =
                self.turns.Read([&] { return self.bandit.stats(); });
            nb::dict dict;
            ForEachPolicyCounter(
                [&dict](const char* name, const auto& counter) {
                  dict[name] = counter;
                },
                stats);
            dict["choices"] = stats.choices;
            dict["sent"] = stats.sent;
            dict["surveys"] = stats.surveys;
            dict["known_arms"] = stats.known_arms;
            return dict;
          },
          nb::for_getter(nb::sig("def stats(self) -> dict[str, int | float]")),
          "choices, and how many of them were sent; surveys that were adopted; "
          "known_arms, which are held here; and the counters of a Bandit over "
          "these.")
      .def(
          "save",
          [](const PyShardedBandit& self) {
            return AsBytes(
                self.turns.ReadAside([&] { return self.bandit.Save(); }));
          },
          "Everything but what is known of the arms. What is loaded sends all "
          "choices until its first survey.")
      .def_static(
          "load",
          [](const nb::bytes& saved) {
            return std::make_unique<PyShardedBandit>(View(saved));
          },
          "saved"_a)
      .def(
          "__getstate__",
          [](const PyShardedBandit& self) {
            return nb::make_tuple(AsBytes(
                self.turns.ReadAside([&] { return self.bandit.Save(); })));
          },
          nb::sig("def __getstate__(self) -> tuple[bytes]"))
      .def(
          "__setstate__",
          [](PyShardedBandit& self, const nb::tuple& state) {
            const auto saved = nb::cast<nb::bytes>(state[0]);
            new (&self) PyShardedBandit(View(saved));
          },
          nb::sig("def __setstate__(self, state: tuple[bytes], /) -> None"));
}

}  // namespace

void BindShardedBandit(nb::module_& module) {
  LearnerClass learner(
      module, "ShardedBandit", nb::is_weak_referenceable(),
      R"(A bandit whose arms are in shards (ArmShard), perhaps in other processes.

It decides what a Bandit with all arms would, and mostly without asking them.
Whoever uses it carries the messages, and changes arms at the shards, too. Any
thread may call any method at any time, but a question and its answers belong to
one choice.)");
  BindConstruction(learner);
  BindChoices(learner);
  BindSurveys(learner);
  BindArms(learner);
  BindLearning(learner);
  BindRest(learner);
}

}  // namespace manyarms::python
