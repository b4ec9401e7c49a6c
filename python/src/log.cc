#include "log.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "base/check.h"
#include "contexts.h"
#include "ids.h"
#include "manyarms/choice_reader.h"
#include "manyarms/log.h"
#include "manyarms/policy_options.h"
#include "py_bandit.h"
#include "py_population.h"
#include "rows.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace manyarms::python {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

LogHeader HeaderOf(nb::handle owner) {
  if (nb::isinstance<PyBandit>(owner)) {
    return LogHeader::Of(nb::cast<const PyBandit&>(owner).options());
  }
  if (nb::isinstance<PyPopulation>(owner)) {
    return LogHeader::Of(nb::cast<const PyPopulation&>(owner).options());
  }
  throw nb::type_error("a log is that of a Bandit or a Population");
}

std::optional<LearnerKey> ParseLearnerOrNone(nb::handle learner) {
  if (learner.is_none()) return std::nullopt;
  return std::visit([](const auto& key) { return LearnerKey(key); },
                    ParseId(learner, {"a learner", "an int or a string"}));
}

void WriteDecision(LogWriter& writer, DecisionId id, nb::handle learner,
                   nb::handle arm, nb::handle features, nb::handle context,
                   double score, nb::handle eligible, bool uniform,
                   std::optional<double> probability, std::string policy,
                   std::optional<double> time) {
  writer.Write(
      LoggedDecision{.id = id,
                     .learner = ParseLearnerOrNone(learner),
                     .arm = ParseArm(arm),
                     .features = ParseRow(features),
                     .context = ParseContext(context),
                     .score = score,
                     .eligible = ParseNumber(eligible, {"eligible", "an int"}),
                     .uniform = uniform,
                     .probability = probability,
                     .policy = std::move(policy),
                     .time = time});
}

void WriteReward(LogWriter& writer, DecisionId decision, nb::handle learner,
                 double reward, std::optional<double> time) {
  writer.Write(
      LoggedReward{decision, ParseLearnerOrNone(learner), reward, time});
}

void WriteObservation(LogWriter& writer, nb::handle learner, nb::handle arm,
                      nb::handle features, nb::handle context, double reward,
                      std::optional<double> time) {
  LoggedObservation event{.learner = ParseLearnerOrNone(learner),
                          .features = ParseRow(features),
                          .context = ParseContext(context),
                          .reward = reward,
                          .time = time};
  if (!arm.is_none()) event.arm = ParseArm(arm);
  writer.Write(event);
}

void WriteArm(LogWriter& writer, nb::handle arm, nb::handle features,
              std::optional<double> time) {
  LoggedArmChange event{
      .arm = ParseArm(arm), .removed = features.is_none(), .time = time};
  if (!event.removed) event.features = ParseRow(features);
  writer.Write(event);
}

nb::object KeyObject(const LearnerKey& key) {
  return key.is_number() ? nb::cast(key.number()) : nb::cast(key.text());
}

nb::dict HeaderDict(const LogHeader& header) {
  nb::dict dict;
  dict["population"] = header.population;
  dict["dim"] = header.dim;
  dict["context_dim"] = header.context_dim;
  dict["context_constants"] = header.context_constants;
  dict["policy"] = header.policy;
  dict["search"] = header.search;
  dict["exploration"] = header.exploration ? nb::cast(*header.exploration)
                                           : nb::cast(std::string("theory"));
  dict["regularisation"] = header.regularisation;
  dict["negative_rewards"] = header.negative_rewards;
  dict["rewards"] = std::string(RewardModelName(header.rewards));
  dict["forgetting"] = header.forgetting;
  dict["seed"] = header.seed;
  return dict;
}

// Reads choices in parts, as columns.
class ChoiceColumns {
 public:
  ChoiceColumns(const std::filesystem::path& path, bool ignore_torn_tail)
      : reader_(LogReader(path, {.ignore_torn_tail = ignore_torn_tail})) {}

  const LogHeader& header() const { return reader_.reader().header(); }

  // The next choices, at most `count`; none at the end.
  nb::dict Next(std::size_t count) {
    std::vector<JoinedChoice> choices;
    {
      const nb::gil_scoped_release release;
      JoinedChoice choice;
      while (choices.size() < count && reader_.Next(choice)) {
        choices.push_back(std::move(choice));
      }
    }
    return choices.empty() ? nb::dict() : Columns(choices);
  }

 private:
  template <class T, class Value>
  static nb::object Column(const std::vector<JoinedChoice>& choices,
                           const Value& value) {
    std::vector<T> column;
    column.reserve(choices.size());
    for (const JoinedChoice& choice : choices) column.push_back(value(choice));
    return Array(std::move(column));
  }

  template <class Value>
  static nb::list Objects(const std::vector<JoinedChoice>& choices,
                          const Value& value) {
    nb::list column;
    for (const JoinedChoice& choice : choices) column.append(value(choice));
    return column;
  }

  static nb::object Rows(const std::vector<JoinedChoice>& choices,
                         std::vector<float> LoggedDecision::*member,
                         std::size_t width) {
    std::vector<float> rows;
    rows.reserve(choices.size() * width);
    for (const JoinedChoice& choice : choices) {
      const std::vector<float>& row = choice.decision.*member;
      rows.insert(rows.end(), row.begin(), row.end());
    }
    return Array(std::move(rows), width);
  }

  nb::dict Columns(const std::vector<JoinedChoice>& choices) const {
    using Choice = const JoinedChoice&;
    const LogHeader& log = header();
    nb::dict columns;
    columns["line"] =
        Column<std::uint64_t>(choices, [](Choice c) { return c.line; });
    columns["decision"] =
        Column<std::uint64_t>(choices, [](Choice c) { return c.decision.id; });
    if (log.population) {
      columns["learner"] = Objects(
          choices, [](Choice c) { return KeyObject(*c.decision.learner); });
    }
    if (std::holds_alternative<ArmId>(choices.front().decision.arm)) {
      columns["arm"] = Column<std::uint64_t>(
          choices, [](Choice c) { return std::get<ArmId>(c.decision.arm); });
    } else {
      columns["arm"] = Objects(choices, [](Choice c) {
        return nb::cast(std::get<std::string>(c.decision.arm));
      });
    }
    columns["features"] = Rows(choices, &LoggedDecision::features, log.dim);
    if (log.context_dim > 0) {
      columns["context"] =
          Rows(choices, &LoggedDecision::context, log.context_dim);
    }
    columns["score"] =
        Column<double>(choices, [](Choice c) { return c.decision.score; });
    columns["eligible"] = Column<std::uint64_t>(
        choices, [](Choice c) { return c.decision.eligible; });
    columns["uniform"] = Column<std::uint8_t>(
        choices, [](Choice c) { return c.decision.uniform ? 1 : 0; });
    columns["probability"] = Column<double>(choices, [](Choice c) {
      return c.decision.probability.value_or(kMissing);
    });
    columns["policy"] = Objects(choices, [&](Choice c) {
      const std::string& policy = c.decision.policy;
      return nb::cast(policy.empty() ? log.policy : policy);
    });
    columns["time"] = Column<double>(
        choices, [](Choice c) { return c.decision.time.value_or(kMissing); });
    columns["reward"] = Column<double>(
        choices, [](Choice c) { return c.reward.value_or(kMissing); });
    return columns;
  }

  ChoiceReader reader_;
};

}  // namespace

void BindLog(nb::module_& module) {
  nb::class_<LogWriter>(module, "LogWriter", "Behind manyarms.Log.")
      .def(
          "__init__",
          [](LogWriter* self, const std::filesystem::path& path,
             nb::handle owner, bool new_log) {
            const LogHeader header = HeaderOf(owner);
            const nb::gil_scoped_release release;  // it may read a long log
            new (self) LogWriter(
                path, header,
                new_log ? LogWriter::Mode::kNew : LogWriter::Mode::kAppend);
          },
          "path"_a, "owner"_a, "new_log"_a,
          nb::sig("def __init__(self, path: str | os.PathLike[str], owner: "
                  "Bandit | Population, new_log: bool) -> None"))
      .def("decision", &WriteDecision, "id"_a, "learner"_a.none(), "arm"_a,
           "features"_a, "context"_a.none(), "score"_a, "eligible"_a,
           "uniform"_a, "probability"_a.none(), "policy"_a, "time"_a.none(),
           nb::sig("def decision(self, id: int, learner: int | str | None, "
                   "arm: typing.Any, features: Row, context: Row | None, "
                   "score: float, eligible: int, uniform: bool, probability: "
                   "float | None, policy: str, time: float | None) -> None"))
      .def("reward", &WriteReward, "decision"_a, "learner"_a.none(), "reward"_a,
           "time"_a.none(),
           nb::sig("def reward(self, decision: int, learner: int | str | None, "
                   "reward: float, time: float | None) -> None"))
      .def("observation", &WriteObservation, "learner"_a.none(), "arm"_a.none(),
           "features"_a, "context"_a.none(), "reward"_a, "time"_a.none(),
           nb::sig("def observation(self, learner: int | str | None, arm: int "
                   "| str | None, features: Row, context: Row | None, reward: "
                   "float, time: float | None) -> None"))
      .def("arm", &WriteArm, "arm"_a, "features"_a.none(), "time"_a.none(),
           nb::sig("def arm(self, arm: int | str, features: Row | None, time: "
                   "float | None) -> None"))
      .def("sync", &LogWriter::Sync, nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "check_reward",
      [](double reward, const std::string& rewards) {
        const std::optional<RewardModel> model = RewardModelNamed(rewards);
        if (!model) throw nb::value_error("rewards are linear or clicks");
        CheckReward(reward, *model);
      },
      "reward"_a, "rewards"_a, "Behind manyarms.read_log.");
  nb::class_<ChoiceColumns>(module, "ChoiceColumns",
                            "Behind manyarms.read_log.")
      .def(nb::init<const std::filesystem::path&, bool>(), "path"_a,
           "ignore_torn_tail"_a,
           nb::sig("def __init__(self, path: str | os.PathLike[str], "
                   "ignore_torn_tail: bool) -> None"))
      .def_prop_ro(
          "header",
          [](const ChoiceColumns& self) { return HeaderDict(self.header()); },
          nb::for_getter(nb::sig("def header(self) -> dict[str, typing.Any]")))
      .def("next", &ChoiceColumns::Next, "count"_a,
           nb::sig("def next(self, count: int) -> dict[str, typing.Any]"));
}

}  // namespace manyarms::python
