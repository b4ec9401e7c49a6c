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
#include "evaluation/policy_outcome.h"
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

std::vector<NamedEstimate> EstimatesOf(const PolicyOutcome& outcome) {
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
    const std::vector<PolicyOutcome>& outcomes) {
  for (const PolicyOutcome& outcome : outcomes) {
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

void PrintOutcome(const PolicyOutcome& outcome, Output& output) {
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

PolicyOutcome Evaluated(const Flags& flags, const EvaluationLog& log,
                        const Arms& arms, const BanditOptions& policy,
                        ProgressLine& progress) {
  std::string shown;
  const auto show = [&](const std::string& what, double done) {
    if (what != shown) progress.Begin(what);
    shown = what;
    progress.Update(done);
  };
  return OutcomeOf(log, arms.fixed(),
                   {.policy = policy,
                    .one_learner = flags.one_learner,
                    .learn_share = flags.learn_share,
                    .draws = flags.draws,
                    .uniform_only = flags.uniform_only,
                    .level = flags.level,
                    .clip = flags.clip},
                   show);
}

std::string JsonRow(const Flags& flags, const EvaluationLog& log,
                    const PolicyOutcome& outcome) {
  nlohmann::ordered_json row;
  row["log"] = flags.log;
  row.update(ToJson(log, flags.level, outcome));
  // Bytes of the path that are not UTF-8 become U+FFFD.
  return row.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
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
  const Estimate logged = MeanLoggedReward(log, flags.level);
  std::vector<NamedEstimate> estimates;
  std::vector<PolicyOutcome> outcomes;
  for (const BanditOptions& policy : PoliciesOf(flags, log)) {
    outcomes.push_back(Evaluated(flags, log, arms, policy, progress));
  }
  progress.Erase();
  const std::optional<Estimate> evaluated = LoggedWhereEvaluated(outcomes);
  if (!flags.json) PrintHead(flags, log, logged, evaluated, output);
  for (const PolicyOutcome& outcome : outcomes) {
    if (flags.json) {
      output.Line(JsonRow(flags, log, outcome));
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
