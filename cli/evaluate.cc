#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bandit_flags.h"
#include "commands.h"
#include "evaluation_plot.h"
#include "learning_flags.h"
#include "manyarms/error.h"
#include "manyarms/evaluation_log.h"
#include "output.h"
#include "policy/kinds.h"
#include "progress.h"
#include "reproduction/figures.h"
#include "reproduction/text.h"
#include "research/npy.h"

namespace manyarms::cli {
namespace {

using reproduction::Grouped;

struct Flags {
  std::string log;
  std::string arms;
  std::optional<BanditFlags> bandit;
  std::optional<LearningFlags> learning;
  const CLI::App* command = nullptr;
  std::vector<std::string> also;
  bool one_learner = false;
  std::uint64_t seed = 1;
  double learn_share = 0.5;
  std::uint64_t draws = EvaluationOptions().draws;
  bool uniform_only = false;
  double level = EstimatorOptions().level;
  double clip = 0;
  std::optional<double> default_reward;
  bool ignore_torn_tail = false;
  bool json = false;
  std::string plot;
  std::string output;

  bool given(const char* flag) const {
    return command->get_option(flag)->count() > 0;
  }
};

// What came of one policy. A log may serve one of the two ways only.
struct Outcome {
  std::string policy;
  std::string search;
  std::optional<Evaluation> evaluation;
  std::optional<ReplayResult> replay;
  std::vector<std::string> notes;
};

// How the policies learn: as the log's did, unless flags say otherwise.
BanditOptions LearningOf(const Flags& flags, const LogHeader& header) {
  BanditOptions given;
  flags.learning->Apply(given);
  BanditOptions options{.dim = header.dim,
                        .regularisation = header.regularisation,
                        .negative_rewards = header.negative_rewards,
                        .rewards = header.rewards,
                        .forgetting = header.forgetting,
                        .context_dim = header.context_dim,
                        .context_constants = header.context_constants,
                        .seed = flags.seed};
  if (flags.given("--regularisation")) {
    options.regularisation = given.regularisation;
  }
  if (flags.given("--negative-rewards")) {
    options.negative_rewards = given.negative_rewards;
  }
  if (flags.given("--rewards")) options.rewards = given.rewards;
  options.explore_uniform = given.explore_uniform;
  if (flags.given("--forgetting") || flags.given("--half-life")) {
    options.forgetting = given.forgetting;
  }
  return options;
}

PopulationOptions AsPopulation(const BanditOptions& options) {
  return {.dim = options.dim,
          .policy = options.policy,
          .search = options.search,
          .regularisation = options.regularisation,
          .negative_rewards = options.negative_rewards,
          .rewards = options.rewards,
          .forgetting = options.forgetting,
          .explore_uniform = options.explore_uniform,
          .context_dim = options.context_dim,
          .context_constants = options.context_constants,
          .seed = options.seed};
}

std::vector<BanditOptions> PoliciesOf(const Flags& flags,
                                      const EvaluationLog& log) {
  const BanditFlags::Chosen chosen = flags.bandit->Parse(log.choices);
  BanditOptions options = LearningOf(flags, log.header);
  options.policy = chosen.policy;
  options.search = chosen.search;
  std::vector<BanditOptions> policies{options};
  std::set<std::string> names{std::string(PolicyName(options.policy))};
  for (const std::string& name : flags.also) {
    if (!names.insert(name).second) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("--also has {}, which is evaluated already; each "
                              "policy can be evaluated once",
                              name));
    }
    options.policy = PolicyKinds::Named(name).value();
    policies.push_back(options);
  }
  return policies;
}

// The arms before the log began.
class Arms {
 public:
  Arms(const std::string& path, const EvaluationLog& log) {
    if (path.empty()) {
      if (log.changes == 0) {
        throw Error(ErrorCode::kNoArms,
                    "the log does not say which arms there were; give them "
                    "by --arms");
      }
      return;
    }
    if (log.names.size() > 0) {
      throw Error(ErrorCode::kUnsupported,
                  "the log's arms have names, and those of --arms are numbers");
    }
    matrix_ = ReadNpy(std::filesystem::path(path));
    ids_.resize(matrix_->rows);
    std::iota(ids_.begin(), ids_.end(), ArmId{0});
  }

  FixedArms fixed() const {
    return matrix_ ? FixedArms{ids_, matrix_->Rows()} : FixedArms{};
  }

 private:
  std::optional<NpyMatrix> matrix_;
  std::vector<ArmId> ids_;
};

Outcome OutcomeOf(const Flags& flags, const EvaluationLog& log,
                  const Arms& arms, const BanditOptions& bandit,
                  ProgressLine& progress) {
  const bool by_learner = log.header.population && !flags.one_learner;
  const EvaluatedOptions policy = by_learner
                                      ? EvaluatedOptions(AsPopulation(bandit))
                                      : EvaluatedOptions(bandit);
  Outcome outcome{.policy = std::string(PolicyName(bandit.policy)),
                  .search = std::string(SearchName(bandit.search)),
                  .evaluation = {},
                  .replay = {},
                  .notes = {}};
  const auto show = [&progress](double done) { progress.Update(done); };
  if (SharesIndex(bandit.policy)) {
    progress.Begin(fmt::format("evaluating {}", outcome.policy));
    EvaluationOptions options{.policy = policy,
                              .uniform_only = flags.uniform_only,
                              .draws = flags.draws};
    options.estimators.level = flags.level;
    if (flags.clip != 0) options.estimators.clip = flags.clip;
    try {
      outcome.evaluation =
          Evaluate(log, arms.fixed(), options, flags.learn_share, show);
    } catch (const Error& error) {
      // Of several policies, one may choose hardly anything that was logged.
      throw Error(error.code(),
                  fmt::format("{}: {}", outcome.policy, error.what()));
    }
    outcome.notes = outcome.evaluation->notes;
  } else if (log.uniform == 0) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{} can only be replayed, and the log has no "
                            "uniform choices",
                            outcome.policy));
  }
  if (log.uniform == 0) return outcome;
  progress.Begin(fmt::format("replaying {}", outcome.policy));
  try {
    outcome.replay = Replay(log, arms.fixed(),
                            {.policy = policy, .level = flags.level}, show);
  } catch (const Error& error) {
    if (!outcome.evaluation) throw;
    outcome.notes.push_back(fmt::format("no replay: {}", error.what()));
  }
  return outcome;
}

std::vector<NamedEstimate> EstimatesOf(const Outcome& outcome) {
  std::vector<NamedEstimate> estimates;
  const auto add = [&](const char* estimator, const Estimate& estimate) {
    estimates.push_back({fmt::format("{} x {}", outcome.policy, outcome.search),
                         estimator, estimate});
  };
  if (outcome.evaluation) {
    add("IPS", outcome.evaluation->inverse_propensity);
    add("SNIPS", outcome.evaluation->self_normalised);
    add("DR", outcome.evaluation->doubly_robust);
    add("direct", outcome.evaluation->direct);
  }
  if (outcome.replay) add("replay", outcome.replay->reward);
  return estimates;
}

std::string TableRow(const std::string& policy, const std::string& estimator,
                     const Estimate& estimate) {
  return fmt::format("{:<20} {:<12} {:>10.4g} {:>10.2g} {:>10.4g} {:>10.4g}",
                     policy, estimator, estimate.value, estimate.standard_error,
                     estimate.low, estimate.high);
}

// The mean reward of the choices that were evaluated, with which estimates are
// to be compared. They are the same for all policies; none if all were only
// replayed.
std::optional<Estimate> LoggedWhereEvaluated(
    const std::vector<Outcome>& outcomes) {
  for (const Outcome& outcome : outcomes) {
    if (outcome.evaluation) return outcome.evaluation->logged;
  }
  return std::nullopt;
}

void PrintHead(const Flags& flags, const EvaluationLog& log,
               const Estimate& logged, const std::optional<Estimate>& evaluated,
               Output& output) {
  output.Line(
      fmt::format("{}: {} choices with rewards ({} uniform), {} without",
                  flags.log, Grouped(static_cast<double>(log.choices)),
                  Grouped(static_cast<double>(log.uniform)),
                  Grouped(static_cast<double>(log.without_reward))));
  output.Line(fmt::format("{:<20} {:<12} {:>10} {:>10} {:>21}", "policy",
                          "estimator", "reward", "std. error",
                          fmt::format("{:g} % interval", 100 * flags.level)));
  output.Line(TableRow("as logged", "all choices", logged));
  if (evaluated) output.Line(TableRow("as logged", "evaluated", *evaluated));
}

void PrintOutcome(const Outcome& outcome, Output& output) {
  for (const NamedEstimate& row : EstimatesOf(outcome)) {
    output.Line(TableRow(row.policy, row.estimator, row.estimate));
  }
  if (outcome.evaluation) {
    const Evaluation& result = *outcome.evaluation;
    output.Line(fmt::format(
        "  {} learned, {} evaluated; weights: mean {:.3g}, largest {:.3g}; "
        "worth {} choices of its own",
        Grouped(static_cast<double>(result.learned)),
        Grouped(static_cast<double>(result.evaluated)), result.weights.mean,
        result.weights.largest,
        Grouped(std::round(result.weights.effective_sample_size))));
  }
  if (outcome.replay) {
    output.Line(
        fmt::format("  replay: agreed with {} of {} uniform choices",
                    Grouped(static_cast<double>(outcome.replay->matches)),
                    Grouped(static_cast<double>(outcome.replay->offered))));
  }
  for (const std::string& note : outcome.notes) {
    output.Line("  note: " + note);
  }
}

nlohmann::ordered_json Json(const Estimate& estimate) {
  return {{"value", estimate.value},
          {"standard_error", estimate.standard_error},
          {"low", estimate.low},
          {"high", estimate.high}};
}

std::string JsonRow(const Flags& flags, const EvaluationLog& log,
                    const Estimate& logged, const Outcome& outcome) {
  nlohmann::ordered_json row;
  row["log"] = flags.log;
  row["choices"] = log.choices;
  row["uniform"] = log.uniform;
  row["without_reward"] = log.without_reward;
  row["level"] = flags.level;
  row["logged"] = Json(logged);
  row["policy"] = outcome.policy;
  row["search"] = outcome.search;
  if (outcome.evaluation) {
    const Evaluation& result = *outcome.evaluation;
    row["learned"] = result.learned;
    row["evaluated"] = result.evaluated;
    row["passed_over"] = result.passed_over;
    row["certain"] = result.certain;
    row["weights"] = {
        {"mean", result.weights.mean},
        {"largest", result.weights.largest},
        {"effective_sample_size", result.weights.effective_sample_size},
        {"clipped", result.weights.clipped}};
    row["logged_evaluated"] = Json(result.logged);
    row["ips"] = Json(result.inverse_propensity);
    row["snips"] = Json(result.self_normalised);
    row["dr"] = Json(result.doubly_robust);
    row["direct"] = Json(result.direct);
  }
  if (outcome.replay) {
    row["offered"] = outcome.replay->offered;
    row["matches"] = outcome.replay->matches;
    row["replay"] = Json(outcome.replay->reward);
  }
  row["notes"] = outcome.notes;
  // Bytes of the path that are not UTF-8 become U+FFFD.
  return row.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Estimate LoggedReward(const EvaluationLog& log, double level) {
  std::vector<double> rewards;
  for (const EvaluationLog::Event& event : log.events) {
    if (const auto* choice = std::get_if<LoggedChoice>(&event)) {
      rewards.push_back(choice->reward);
    }
  }
  return MeanReward(rewards, level);
}

void Run(const Flags& flags) {
  // Opened before the work, so that a path that cannot be written is an error
  // at once.
  Output output(flags.output);
  std::optional<Output> plot;
  if (!flags.plot.empty()) {
    reproduction::RequireGnuplot();
    plot.emplace(flags.plot);
  }
  ProgressLine progress;
  progress.Begin("reading");
  const EvaluationLog log =
      ReadEvaluationLog(std::filesystem::path(flags.log),
                        {.default_reward = flags.default_reward,
                         .ignore_torn_tail = flags.ignore_torn_tail});
  const Arms arms(flags.arms, log);
  const Estimate logged = LoggedReward(log, flags.level);
  std::vector<NamedEstimate> estimates;
  std::vector<Outcome> outcomes;
  for (const BanditOptions& policy : PoliciesOf(flags, log)) {
    outcomes.push_back(OutcomeOf(flags, log, arms, policy, progress));
  }
  progress.Erase();
  const std::optional<Estimate> evaluated = LoggedWhereEvaluated(outcomes);
  if (!flags.json) PrintHead(flags, log, logged, evaluated, output);
  for (const Outcome& outcome : outcomes) {
    if (flags.json) {
      output.Line(JsonRow(flags, log, logged, outcome));
    } else {
      PrintOutcome(outcome, output);
    }
    std::ranges::copy(EstimatesOf(outcome), std::back_inserter(estimates));
  }
  if (plot) {
    const NamedEstimate line{"as logged",
                             evaluated ? "evaluated" : "all choices",
                             evaluated.value_or(logged)};
    plot->Line(EvaluationPlot(line, estimates, flags.level));
  }
}

void AddLogFlags(CLI::App& command, Flags& flags) {
  constexpr const char* kGroup = "Log";
  command.add_option("log", flags.log, "The log (docs/log.md)")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--arms", flags.arms,
                  "The arms before the log began, a row of features each "
                  "(.npy); their ids are 0, 1, 2, ... Without it the log must "
                  "say when arms came")
      ->type_name("FILE")
      ->group(kGroup);
  command
      .add_option("--default-reward", flags.default_reward,
                  "What choices without a reward had; otherwise they are left "
                  "out")
      ->group(kGroup);
  command
      .add_flag("--ignore-torn-tail", flags.ignore_torn_tail,
                "A last line without an end, which a killed writer leaves, is "
                "left out")
      ->group(kGroup);
}

void AddPolicyFlags(CLI::App& command, Flags& flags) {
  flags.bandit.emplace(command);
  flags.learning.emplace(command);
  std::vector<std::string> names;
  for (const std::string_view name : PolicyKinds::Names()) {
    names.emplace_back(name);
  }
  command
      .add_option("--also", flags.also,
                  "Other policies to evaluate, with their default options")
      ->delimiter(',')
      ->check(CLI::IsMember(names))
      ->group("Bandit");
  command
      .add_flag("--one-learner", flags.one_learner,
                "All learners of the log are one")
      ->group("Bandit");
  command.add_option("--seed", flags.seed, "Of the policy's draws")
      ->check(Count())
      ->group("Bandit");
}

void AddEvaluationFlags(CLI::App& command, Flags& flags) {
  constexpr const char* kGroup = "Evaluation";
  command
      .add_option("--learn-share", flags.learn_share,
                  "Share of the choices that the policy learns before it is "
                  "evaluated on the others")
      ->group(kGroup);
  command
      .add_option("--draws", flags.draws,
                  "How often a policy that draws at random is asked for each "
                  "choice")
      ->check(Count())
      ->group(kGroup);
  command
      .add_flag("--uniform-only", flags.uniform_only,
                "Evaluate only choices that were drawn uniformly")
      ->group(kGroup);
  command.add_option("--level", flags.level, "Of the confidence intervals")
      ->group(kGroup);
  command
      .add_option("--clip", flags.clip,
                  "Weights above this count as this, which biases estimates; "
                  "0: none do")
      ->group(kGroup);
}

void AddOutputFlags(CLI::App& command, Flags& flags) {
  constexpr const char* kGroup = "Output";
  command
      .add_flag("--json", flags.json, "Print one JSON object for each policy")
      ->group(kGroup);
  command
      .add_option("--plot", flags.plot,
                  "Write a plot of all estimates to this SVG file")
      ->group(kGroup);
  command
      .add_option("--output", flags.output,
                  "Write to this file instead of standard output")
      ->group(kGroup);
}

}  // namespace

void AddEvaluate(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "evaluate",
      "Estimate from a log how well policies would have done in place of the "
      "one that made it");
  command->option_defaults()->always_capture_default();
  command->fallthrough();
  flags->command = command;
  AddLogFlags(*command, *flags);
  AddPolicyFlags(*command, *flags);
  AddEvaluationFlags(*command, *flags);
  AddOutputFlags(*command, *flags);
  command->callback([flags] { Run(*flags); });
}

}  // namespace manyarms::cli
