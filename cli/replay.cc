// Learns from somebody's past events and says how good its predictions were.

#include "research/replay.h"

#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "bandit/checked_file.h"
#include "bandit_flags.h"
#include "commands.h"
#include "learning_flags.h"
#include "manyarms/error.h"
#include "manyarms/version.h"
#include "output.h"
#include "printable.h"
#include "progress.h"
#include "reproduction/text.h"
#include "research/npy.h"

namespace manyarms::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Flags {
  std::optional<BanditFlags> bandit;
  std::optional<LearningFlags> learning;
  std::string events;
  std::string arms;
  std::string names;
  bool population = false;
  bool no_context_constants = false;
  bool ignore_torn_tail = false;
  std::uint64_t horizon = 0;
  std::uint64_t seed = 1;
  std::uint64_t best = 10;
  bool json = false;
  std::string output;
  std::string save;
};

NpyMatrix ReadArms(const std::string& path) {
  if (path.ends_with(".parquet")) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{}: this program reads .npy files of NumPy only; "
                            "the program of the Python package reads .parquet, "
                            "too (pip install manyarms[parquet])",
                            path));
  }
  return ReadNpy(path);
}

// One name a line, each of them once.
Names ReadNames(const std::string& path, std::size_t arms) {
  std::ifstream in = OpenToRead(path);
  Names names;
  std::size_t lines = 0;
  for (std::string name; std::getline(in, name);) {
    ++lines;
    if (names.Contains(name)) {
      throw Error(ErrorCode::kDuplicateId,
                  fmt::format(R"({}, line {}: the name "{}" is there twice)",
                              path, lines, name));
    }
    names.Add(name);
  }
  if (lines != arms) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} has {} names for {} arms", path, lines, arms));
  }
  return names;
}

// The number of features: that of the arms, or else that of the events.
std::size_t DimOf(const std::optional<NpyMatrix>& arms, PastEvents& events,
                  const std::string& path) {
  if (events.header()) {
    const std::size_t dim = events.header()->dim;
    if (arms && arms->columns != dim) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("the arms have {} features, those of the log {}",
                              arms->columns, dim));
    }
    return dim;
  }
  if (arms) return arms->columns;
  const PastEvent* first = events.Peek();
  if (first == nullptr) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} has no events", path));
  }
  if (first->features.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "the events do not bring features along, so --arms is needed");
  }
  return first->features.size();
}

std::size_t ContextDimOf(PastEvents& events) {
  if (events.header()) return events.header()->context_dim;
  const PastEvent* first = events.Peek();
  return first == nullptr ? 0 : first->context.size();
}

template <class Options>
Options OptionsFor(const Flags& flags, std::size_t dim,
                   std::size_t context_dim) {
  const BanditFlags::Chosen chosen = flags.bandit->Parse(flags.horizon);
  Options options;
  options.dim = dim;
  options.policy = chosen.policy;
  options.search = chosen.search;
  options.context_dim = context_dim;
  options.context_constants = !flags.no_context_constants;
  options.seed = flags.seed;
  flags.learning->Apply(options);
  return options;
}

// Numbers them 0, 1, 2, ... Errors name the file that they are from.
void AddArms(const NpyMatrix& arms, const std::string& path, Pupil& pupil) {
  std::vector<ArmId> ids(arms.rows);
  std::iota(ids.begin(), ids.end(), ArmId{0});
  try {
    std::visit([&](auto& learner) { learner.Add(ids, arms.Rows()); },
               pupil.learner);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", path, error.what()));
  }
}

Pupil MakePupil(const Flags& flags, PastEvents& events) {
  std::optional<NpyMatrix> arms;
  if (!flags.arms.empty()) arms = ReadArms(flags.arms);
  const std::size_t dim = DimOf(arms, events, flags.events);
  const std::size_t context_dim = ContextDimOf(events);
  const bool many =
      flags.population || (events.header() && events.header()->population);
  Pupil pupil{
      .learner =
          many ? decltype(Pupil::learner)(Population(
                     OptionsFor<PopulationOptions>(flags, dim, context_dim)))
               : decltype(Pupil::learner)(Bandit(
                     OptionsFor<BanditOptions>(flags, dim, context_dim))),
      .names = {}};
  if (arms) {
    if (!flags.names.empty()) pupil.names = ReadNames(flags.names, arms->rows);
    AddArms(*arms, flags.arms, pupil);
  } else if (!flags.names.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "--names has the names of the arms that --arms has");
  }
  return pupil;
}

// What a pupil and its options have in common with others, for rows.
struct About {
  std::string policy;
  std::string search;
  std::string rewards;
  std::size_t dim;
  std::size_t context_dim;
  double forgetting;
  double regularisation;
  bool clicks;
};

About Describe(const Pupil& pupil) {
  return std::visit(
      [](const auto& learner) {
        const auto& options = learner.options();
        return About{std::string(PolicyName(options.policy)),
                     std::string(SearchName(options.search)),
                     std::string(RewardModelName(options.rewards)),
                     options.dim,
                     options.context_dim,
                     options.forgetting,
                     options.regularisation,
                     options.rewards == RewardModel::kClicks};
      },
      pupil.learner);
}

Json ArmJson(const Pupil& pupil, ArmId arm) {
  const std::string* name = pupil.names.Find(arm);
  return name != nullptr ? Json(*name) : Json(arm);
}

Json CalibrationJson(const ProgressiveScore& score) {
  Json tenths = Json::array();
  for (const ProgressiveScore::Tenth& tenth : score.tenths()) {
    if (tenth.events == 0) continue;
    const auto events = static_cast<double>(tenth.events);
    tenths.push_back({{"events", tenth.events},
                      {"predicted", tenth.predictions / events},
                      {"reward", tenth.rewards / events}});
  }
  return tenths;
}

std::string Row(const Flags& flags, const Pupil& pupil,
                const LearningResult& result) {
  const About about = Describe(pupil);
  const ProgressiveScore& score = result.score;
  Json row;
  row["policy"] = about.policy;
  row["search"] = about.search;
  row["rewards"] = about.rewards;
  row["regularisation"] = about.regularisation;
  row["forgetting"] = about.forgetting;
  row["dim"] = about.dim;
  row["context_dim"] = about.context_dim;
  row["seed"] = flags.seed;
  row["arms"] = pupil.arms();
  row["events"] = score.events();
  row["without_reward"] = result.without_reward;
  row["learners"] = result.learners;
  row["mean_reward"] = score.MeanReward();
  row["error"] = score.Error();
  row["error_of_mean"] = score.ErrorOfMean();
  if (about.clicks) {
    row["log_loss"] = score.LogLoss();
    row["log_loss_of_mean"] = score.LogLossOfMean();
    row["calibration_error"] = score.CalibrationError();
    row["calibration"] = CalibrationJson(score);
  }
  Json best = Json::array();
  for (const ExpectedReward& arm : BestArms(pupil, flags.best)) {
    best.push_back({{"arm", ArmJson(pupil, arm.arm)}, {"reward", arm.reward}});
  }
  row["best_arms"] = best;
  row["seconds"] = result.seconds;
  row["version"] = kVersion;
  return row.dump();
}

std::string GroupedCount(std::uint64_t number) {
  return reproduction::Grouped(static_cast<double>(number));
}

void PrintTable(const Flags& flags, const Pupil& pupil,
                const LearningResult& result, Output& output) {
  const About about = Describe(pupil);
  const ProgressiveScore& score = result.score;
  output.Line(fmt::format(
      "{} x {}, {} rewards: {} events, {} arms, dimension {}{}", about.policy,
      about.search, about.rewards, GroupedCount(score.events()),
      GroupedCount(pupil.arms()), about.dim,
      about.context_dim == 0
          ? ""
          : fmt::format(", contexts of {} values", about.context_dim)));
  const auto line = [&](const char* what, const std::string& value) {
    output.Line(fmt::format("{:<34}{}", what, value));
  };
  if (result.learners > 0) line("learners", GroupedCount(result.learners));
  if (result.without_reward > 0) {
    line("decisions without a reward", GroupedCount(result.without_reward));
  }
  line("mean reward", fmt::format("{:.6g}", score.MeanReward()));
  line("error of predictions", fmt::format("{:.6g}", score.Error()));
  line("error of the mean so far", fmt::format("{:.6g}", score.ErrorOfMean()));
  if (about.clicks) {
    line("log loss of predictions", fmt::format("{:.6g}", score.LogLoss()));
    line("log loss of the mean so far",
         fmt::format("{:.6g}", score.LogLossOfMean()));
    line("calibration error", fmt::format("{:.6g}", score.CalibrationError()));
  }
  line("seconds", fmt::format("{:.3f}", result.seconds));
  const std::vector<ExpectedReward> best = BestArms(pupil, flags.best);
  if (best.empty()) return;
  output.Line(fmt::format("\n{:<24}{:>16}", "best arms", "expected reward"));
  for (const ExpectedReward& arm : best) {
    const std::string* name = pupil.names.Find(arm.arm);
    output.Line(fmt::format(
        "{:<24}{:>16.6g}",
        name != nullptr ? Printable(*name) : fmt::format("{}", arm.arm),
        arm.reward));
  }
}

void Save(const Pupil& pupil, const std::string& path) {
  const Names* names = pupil.names.given() > 0 ? &pupil.names : nullptr;
  std::visit([&](const auto& learner) { learner.Save(path, names); },
             pupil.learner);
}

void RunReplay(const Flags& flags) {
  PastEvents events(flags.events, {.ignore_torn_tail = flags.ignore_torn_tail});
  Pupil pupil = MakePupil(flags, events);
  Output output(flags.output);
  ProgressLine progress;
  progress.Begin("events");
  const LearningResult result = LearnFrom(
      events, pupil, [&progress](double done) { progress.Update(done); });
  progress.Erase();
  if (!flags.save.empty()) Save(pupil, flags.save);
  if (flags.json) {
    output.Line(Row(flags, pupil, result));
  } else {
    PrintTable(flags, pupil, result, output);
  }
}

void AddEventFlags(CLI::App& command, Flags& flags) {
  constexpr const char* kGroup = "Past events";
  command
      .add_option("--events", flags.events,
                  "Lines of JSON with arm and reward, and if you like learner "
                  "and context; or a log of manyarms (docs/log.md)")
      ->required()
      ->type_name("FILE")
      ->group(kGroup);
  command
      .add_option("--arms", flags.arms,
                  "The features of arms 0, 1, 2, ..., a row for each, as NumPy "
                  "saves them (.npy; the Python package reads .parquet, too). "
                  "Events of a log bring theirs along")
      ->type_name("FILE")
      ->group(kGroup);
  command
      .add_option("--names", flags.names,
                  "The names of these arms, one a line, if events have names")
      ->type_name("FILE")
      ->group(kGroup);
  command
      .add_flag("--population", flags.population,
                "Each learner of the events learns for itself; logs say that "
                "themselves")
      ->group(kGroup);
  command
      .add_flag("--no-context-constants", flags.no_context_constants,
                "No constant 1 is appended to contexts and features")
      ->group(kGroup);
  command
      .add_flag("--ignore-torn-tail", flags.ignore_torn_tail,
                "Leave out a last line of a log without an end, as while "
                "somebody writes")
      ->group(kGroup);
}

void AddOutputFlags(CLI::App& command, Flags& flags) {
  constexpr const char* kGroup = "Output";
  command
      .add_option("--best", flags.best,
                  "How many of the best arms are listed (of one bandit without "
                  "contexts)")
      ->check(Count())
      ->group(kGroup);
  command
      .add_option("--save", flags.save,
                  "Keep what has learned in this file, for Bandit.load or "
                  "Population.load")
      ->type_name("FILE")
      ->group(kGroup);
  command.add_flag("--json", flags.json, "One JSON object")->group(kGroup);
  command
      .add_option("--output", flags.output,
                  "Write to this file instead of standard output")
      ->group(kGroup);
}

}  // namespace

void AddReplay(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "replay",
      "Learn from past events, of yours or of a log, and say how good the "
      "predictions were");
  command->option_defaults()->always_capture_default();
  command->fallthrough();
  AddEventFlags(*command, *flags);
  flags->bandit.emplace(*command);
  flags->learning.emplace(*command);
  command
      ->add_option("--horizon", flags->horizon,
                   "Steps that there will be (T), for exploration by theory")
      ->check(Count())
      ->group("Learning");
  command->add_option("--seed", flags->seed, "Of what is saved")
      ->check(Count())
      ->group("Learning");
  AddOutputFlags(*command, *flags);
  command->callback([flags] { RunReplay(*flags); });
}

}  // namespace manyarms::cli
