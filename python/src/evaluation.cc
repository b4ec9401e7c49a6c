#include "evaluation.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <variant>

#include "arrays.h"
#include "ids.h"
#include "manyarms/evaluation.h"
#include "manyarms/evaluation_log.h"
#include "py_bandit.h"
#include "py_population.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace manyarms::python {
namespace {

template <class T>
using Values = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> Span(const Values<T>& values) {
  return {values.data(), values.size()};
}

using PyEstimate = std::tuple<double, double, double, double>;

PyEstimate Tuple(const Estimate& estimate) {
  return {estimate.value, estimate.standard_error, estimate.low, estimate.high};
}

using PyWeights = std::tuple<double, double, double, std::size_t>;

PyWeights Tuple(const WeightSummary& weights) {
  return {weights.mean, weights.largest, weights.effective_sample_size,
          weights.clipped};
}

WeightedChoices Choices(const Values<double>& rewards,
                        const Values<double>& logged,
                        const Values<double>& target) {
  return {
      .rewards = Span(rewards), .logged = Span(logged), .target = Span(target)};
}

/// A log as columns, which Python keeps alive.
struct Columns {
  Values<std::uint64_t> lines;
  Values<std::uint64_t> arms;  ///< rows of the features
  Values<double> rewards;
  Values<double> probabilities;  ///< NaN: not known
  Values<bool> uniform;
  Values<std::uint64_t> eligible;
  Table<float> contexts;
  Table<float> features;  ///< without columns if they are not known
  std::vector<std::variant<std::uint64_t, std::string>> learners;  ///< or none
};

std::vector<float> Row(const Table<float>& table, std::size_t row) {
  const std::size_t width = table.shape(1);
  const float* first = table.data() + row * width;
  return {first, first + width};
}

std::vector<LoggedChoice> ChoicesOf(const Columns& columns) {
  std::vector<LoggedChoice> choices(columns.arms.size());
  for (std::size_t i = 0; i < choices.size(); ++i) {
    LoggedChoice& choice = choices[i];
    choice.line = columns.lines.data()[i];
    choice.arm = columns.arms.data()[i];
    choice.context = Row(columns.contexts, i);
    choice.features = Row(columns.features, i);
    choice.eligible = columns.eligible.data()[i];
    choice.uniform = columns.uniform.data()[i];
    const double probability = columns.probabilities.data()[i];
    if (!std::isnan(probability)) choice.probability = probability;
    choice.reward = columns.rewards.data()[i];
    if (!columns.learners.empty()) {
      choice.learner = std::visit(
          [](const auto& key) { return LearnerKey(key); }, columns.learners[i]);
    }
  }
  return choices;
}

// Ctrl-C ends the work. Asking for it takes as long as some choices, so it is
// done some ten times a second.
class LookUp {
 public:
  void operator()(double /*done*/) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

 private:
  std::chrono::steady_clock::time_point last_ =
      std::chrono::steady_clock::now();
};

/// The arms 0, 1, 2, ... with these features.
struct Arms {
  explicit Arms(const Table<float>& features)
      : ids(features.shape(0)),
        fixed{.ids = ids,
              .features = {
                  features.data(),
                  features.shape(0),
                  features.shape(1),
                  {.row = static_cast<std::ptrdiff_t>(features.shape(1))}}} {
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i;
  }
  Arms(const Arms&) = delete;
  Arms& operator=(const Arms&) = delete;

  std::vector<ArmId> ids;
  FixedArms fixed;
};

nb::dict Dict(const Evaluation& result) {
  nb::dict dict;
  dict["learned"] = result.learned;
  dict["evaluated"] = result.evaluated;
  dict["passed_over"] = result.passed_over;
  dict["restricted"] = result.restricted;
  dict["certain"] = result.certain;
  dict["weights"] = Tuple(result.weights);
  dict["logged"] = Tuple(result.logged);
  dict["ips"] = Tuple(result.inverse_propensity);
  dict["snips"] = Tuple(result.self_normalised);
  dict["dr"] = Tuple(result.doubly_robust);
  dict["direct"] = Tuple(result.direct);
  nb::list notes;
  for (const std::string& note : result.notes) notes.append(note);
  dict["notes"] = nb::tuple(notes);
  return dict;
}

nb::dict Dict(const ReplayResult& result) {
  nb::dict dict;
  dict["offered"] = result.offered;
  dict["matches"] = result.matches;
  dict["passed_over"] = result.passed_over;
  dict["restricted"] = result.restricted;
  dict["reward"] = Tuple(result.reward);
  return dict;
}

constexpr const char* kHelp = "See manyarms.evaluation.";
constexpr const char* kEstimateType = "tuple[float, float, float, float]";

// All numbers, and arrays of them.
std::string Signature(const std::string& name, const std::string& parameters,
                      const std::string& returns) {
  std::string typed;
  std::istringstream names(parameters);
  for (std::string one; std::getline(names >> std::ws, one, ',');) {
    const bool number = one == "level" || one == "clip";
    typed += (typed.empty() ? "" : ", ") + one +
             (number ? ": float" : ": numpy.typing.NDArray[numpy.float64]");
  }
  return "def " + name + "(" + typed + ") -> " + returns;
}

void BindEstimators(nb::module_& module) {
  const auto def = [&module](const char* name, auto estimate,
                             const char* returns) {
    module.def(
        name,
        [estimate](const Values<double>& rewards, const Values<double>& logged,
                   const Values<double>& target, double level, double clip) {
          return Tuple(estimate(Choices(rewards, logged, target),
                                EstimatorOptions{level, clip}));
        },
        "rewards"_a, "logged"_a, "target"_a, "level"_a, "clip"_a,
        nb::sig(Signature(name, "rewards, logged, target, level, clip", returns)
                    .c_str()),
        kHelp);
  };
  def("inverse_propensity", &InversePropensity, kEstimateType);
  def("self_normalised", &SelfNormalised, kEstimateType);
  def("weight_summary", &SummariseWeights, "tuple[float, float, float, int]");
  module.def(
      "doubly_robust",
      [](const Values<double>& rewards, const Values<double>& logged,
         const Values<double>& target, const Values<double>& of_logged,
         const Values<double>& of_target, double level, double clip) {
        return Tuple(DoublyRobust(
            Choices(rewards, logged, target),
            {.logged_arm = Span(of_logged), .target = Span(of_target)},
            {.level = level, .clip = clip}));
      },
      "rewards"_a, "logged"_a, "target"_a, "of_logged"_a, "of_target"_a,
      "level"_a, "clip"_a,
      nb::sig(Signature("doubly_robust",
                        "rewards, logged, target, of_logged, of_target, level, "
                        "clip",
                        kEstimateType)
                  .c_str()),
      kHelp);
  const auto def_mean = [&module](const char* name, auto estimate) {
    module.def(
        name,
        [estimate](const Values<double>& values, double level) {
          return Tuple(estimate(Span(values), level));
        },
        "values"_a, "level"_a,
        nb::sig(Signature(name, "values, level", kEstimateType).c_str()),
        kHelp);
  };
  def_mean("direct_method", &DirectMethod);
  def_mean("mean_reward", &MeanReward);
}

std::vector<float> AllFeatures(const PyBandit& bandit) {
  return bandit.Features(bandit.Ids());
}

// A catalogue may have one more value for each arm, and with negative rewards
// features are divided by the root of 2.
std::vector<float> AllFeatures(const PyPopulation& shop) {
  const Catalogue& catalogue = shop.population().catalogue();
  const std::vector<float> kept = catalogue.Features(catalogue.Ids());
  const std::size_t dim = shop.options().dim;
  const float scale =
      shop.options().negative_rewards ? std::numbers::sqrt2_v<float> : 1;
  std::vector<float> features;
  features.reserve(catalogue.size() * dim);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (i % catalogue.dim() < dim) features.push_back(scale * kept[i]);
  }
  return features;
}

/// The arguments of both functions that take a log.
using PyLog = std::tuple<Values<std::uint64_t>, Values<std::uint64_t>,
                         Values<double>, Values<double>, Values<bool>,
                         Values<std::uint64_t>, Table<float>, Table<float>,
                         std::vector<std::variant<std::uint64_t, std::string>>>;

std::vector<LoggedChoice> ChoicesOf(const PyLog& log) {
  return ChoicesOf(std::make_from_tuple<Columns>(log));
}

/// The arms of a bandit, by the numbers that a log has for them.
struct ArmsOfLog {
  ArmsOfLog(nb::handle given, const Table<float>& features,
            EvaluationLog& log) {
    const PyIds parsed = ParseIds(given, kIds);
    if (Count(parsed) == 0) {
      if (log.changes == 0) {
        throw Error(ErrorCode::kNoArms,
                    "neither the bandit nor the log has arms");
      }
      return;
    }
    const auto* texts = std::get_if<Texts>(&parsed);
    const bool log_has_names = log.names.size() > 0;
    if ((texts != nullptr) != log_has_names && log.choices > 0) {
      throw Error(ErrorCode::kInvalidArgument,
                  log_has_names
                      ? "the log's arms have strings for ids, and the "
                        "bandit's have ints"
                      : "the log's arms have ints for ids, and the "
                        "bandit's have strings");
    }
    if (texts == nullptr) {
      ids = std::get<Numbers>(parsed);
    } else {
      for (const std::string& name : *texts) ids.push_back(log.names.Add(name));
    }
    fixed = {ids,
             {features.data(),
              features.shape(0),
              features.shape(1),
              {.row = static_cast<std::ptrdiff_t>(features.shape(1))}}};
  }
  ArmsOfLog(const ArmsOfLog&) = delete;
  ArmsOfLog& operator=(const ArmsOfLog&) = delete;

  std::vector<ArmId> ids;
  FixedArms fixed;
};

EvaluationLog ReadFile(const std::filesystem::path& path,
                       std::optional<double> default_reward,
                       bool ignore_torn_tail) {
  const nb::gil_scoped_release release;
  return ReadEvaluationLog(path, {.default_reward = default_reward,
                                  .ignore_torn_tail = ignore_torn_tail});
}

template <class Asker>
void BindFiles(nb::module_& module, const std::string& type) {
  const std::string first =
      "(asker: " + type +
      ", ids: Ids, features: numpy.typing.NDArray[numpy.float32], path: str | "
      "os.PathLike[str], default_reward: float | None, ignore_torn_tail: "
      "bool, ";
  module.def(
      "evaluate_file",
      [](const Asker& asker, nb::handle ids, const Table<float>& features,
         const std::filesystem::path& path,
         std::optional<double> default_reward, bool ignore_torn_tail,
         double learn_share, std::size_t draws, bool uniform_only, double level,
         double clip) {
        EvaluationLog log = ReadFile(path, default_reward, ignore_torn_tail);
        const ArmsOfLog arms(ids, features, log);
        Evaluation result;
        {
          const nb::gil_scoped_release release;
          result = Evaluate(log, arms.fixed,
                            {.policy = asker.options(),
                             .uniform_only = uniform_only,
                             .draws = draws,
                             .estimators = {.level = level, .clip = clip}},
                            learn_share, LookUp());
        }
        return Dict(result);
      },
      "asker"_a, "ids"_a, "features"_a, "path"_a, "default_reward"_a.none(),
      "ignore_torn_tail"_a, "learn_share"_a, "draws"_a, "uniform_only"_a,
      "level"_a, "clip"_a,
      nb::sig(("def evaluate_file" + first +
               "learn_share: float, draws: int, uniform_only: bool, level: "
               "float, clip: float) -> dict[str, typing.Any]")
                  .c_str()),
      kHelp);
  module.def(
      "replay_file",
      [](const Asker& asker, nb::handle ids, const Table<float>& features,
         const std::filesystem::path& path,
         std::optional<double> default_reward, bool ignore_torn_tail,
         double level) {
        EvaluationLog log = ReadFile(path, default_reward, ignore_torn_tail);
        const ArmsOfLog arms(ids, features, log);
        ReplayResult result;
        {
          const nb::gil_scoped_release release;
          result =
              Replay(log, arms.fixed,
                     {.policy = asker.options(), .level = level}, LookUp());
        }
        return Dict(result);
      },
      "asker"_a, "ids"_a, "features"_a, "path"_a, "default_reward"_a.none(),
      "ignore_torn_tail"_a, "level"_a,
      nb::sig(
          ("def replay_file" + first + "level: float) -> dict[str, typing.Any]")
              .c_str()),
      kHelp);
}

// Of a bandit or population, only the options are used.
template <class Asker>
void BindWork(nb::module_& module, const std::string& type) {
  module.def(
      "all_features",
      [](const Asker& asker) {
        return Array(AllFeatures(asker), asker.options().dim);
      },
      "asker"_a,
      nb::sig(("def all_features(asker: " + type +
               ") -> numpy.typing.NDArray[numpy.float32]")
                  .c_str()),
      "The features of all arms, in the order of ids.");
  module.def(
      "evaluate_columns",
      [](const Asker& asker, const Table<float>& features, const PyLog& log,
         double learn_share, std::size_t draws, bool uniform_only, double level,
         double clip) {
        const Arms all(features);
        const std::vector<LoggedChoice> choices = ChoicesOf(log);
        Evaluation result;
        {
          const nb::gil_scoped_release release;
          result = Evaluate(choices, all.fixed,
                            {.policy = asker.options(),
                             .uniform_only = uniform_only,
                             .draws = draws,
                             .estimators = {.level = level, .clip = clip}},
                            learn_share, LookUp());
        }
        return Dict(result);
      },
      "asker"_a, "features"_a, "log"_a, "learn_share"_a, "draws"_a,
      "uniform_only"_a, "level"_a, "clip"_a,
      nb::sig(("def evaluate_columns(asker: " + type +
               ", features: numpy.typing.NDArray[numpy.float32], log: "
               "tuple[typing.Any, ...], learn_share: float, draws: int, "
               "uniform_only: bool, level: float, clip: float) -> dict[str, "
               "typing.Any]")
                  .c_str()),
      kHelp);
  module.def(
      "replay_columns",
      [](const Asker& asker, const Table<float>& features, const PyLog& log,
         double level) {
        const Arms all(features);
        const std::vector<LoggedChoice> choices = ChoicesOf(log);
        ReplayResult result;
        {
          const nb::gil_scoped_release release;
          result =
              Replay(choices, all.fixed,
                     {.policy = asker.options(), .level = level}, LookUp());
        }
        return Dict(result);
      },
      "asker"_a, "features"_a, "log"_a, "level"_a,
      nb::sig(("def replay_columns(asker: " + type +
               ", features: numpy.typing.NDArray[numpy.float32], log: "
               "tuple[typing.Any, ...], level: float) -> dict[str, "
               "typing.Any]")
                  .c_str()),
      kHelp);
}

}  // namespace

void BindEvaluation(nb::module_& module) {
  BindEstimators(module);
  BindFiles<PyBandit>(module, "Bandit");
  BindFiles<PyPopulation>(module, "Population");
  BindWork<PyBandit>(module, "Bandit");
  BindWork<PyPopulation>(module, "Population");
}

}  // namespace manyarms::python
