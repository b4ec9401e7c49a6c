#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bandit_flags.h"
#include "commands.h"
#include "learning_flags.h"
#include "manyarms/error.h"
#include "manyarms/research/experiment.h"
#include "output.h"
#include "progress.h"
#include "reproduction/statistics.h"
#include "reproduction/text.h"
#include "theorem.h"

namespace manyarms::cli {
namespace {

struct Flags {
  std::optional<BanditFlags> bandit;
  std::optional<LearningFlags> learning;
  RunSpec spec;
  std::uint64_t runs = 1;
  bool fixed_theta = false;
  bool no_context_constants = false;
  std::string prior = "independent";
  bool json = false;
  std::string output;
};

std::string Headline(const RunSpec& spec) {
  const SyntheticOptions& world = spec.environment;
  std::string line = fmt::format(
      "{} x {}: {} arms, +{} -{} every {} steps, dimension {}, {} steps",
      PolicyName(spec.policy), SearchName(spec.search),
      reproduction::Grouped(static_cast<double>(world.arms)), world.add,
      world.remove, world.every, world.dim,
      reproduction::Grouped(static_cast<double>(spec.steps)));
  if (world.learners > 0) {
    line +=
        fmt::format(", {} learners",
                    reproduction::Grouped(static_cast<double>(world.learners)));
  }
  if (world.context_dim > 0) {
    line += fmt::format(", contexts of {} values", world.context_dim);
  }
  if (world.click_rate > 0) {
    line += fmt::format(", clicks at {:g} %", 100 * world.click_rate);
  }
  if (world.turn_every > 0) {
    line += fmt::format(
        ", another parameter every {} steps",
        reproduction::Grouped(static_cast<double>(world.turn_every)));
  }
  if (world.drift > 0) {
    line += fmt::format(", a drift of {:g} in each step", world.drift);
  }
  return line;
}

std::string TableRow(const RunSpec& spec, const RunResult& result) {
  return fmt::format(
      "{:>8} {:>10.1f} {:>9.3f} {:>9.3f} {:>9.1f} {:>9.1f} {:>10.1f} {:>12.1f} "
      "{:>9.1f}  {:016x}",
      spec.environment.seed, result.regret, result.setup_seconds,
      result.run_seconds, result.latency.p50, result.latency.p99,
      result.latency.max,
      static_cast<double>(result.stats.arms_scored) /
          static_cast<double>(std::max<std::uint64_t>(spec.steps, 1)),
      static_cast<double>(result.peak_rss_bytes) / 1e6, result.decision_digest);
}

// Whether answers are to be compared with a scan's.
bool AsksForChecks(const SearchOptions& search) {
  const auto* certified = std::get_if<CertifiedOptions>(&search);
  return certified != nullptr && certified->check_every > 0;
}

void Simulate(Flags& flags) {
  RunSpec& spec = flags.spec;
  const BanditFlags::Chosen chosen = flags.bandit->Parse(spec.steps);
  spec.policy = chosen.policy;
  spec.search = chosen.search;
  flags.learning->Apply(spec);
  spec.environment.context_constants = !flags.no_context_constants;
  if (flags.prior == "shared") spec.prior = SharedPrior{};
  if (flags.runs == 0) {
    throw Error(ErrorCode::kInvalidArgument, "runs is 0, must be at least 1");
  }
  CheckRunnable(spec);

  Output output(flags.output);
  ProgressLine progress;
  std::vector<double> regrets;
  std::uint64_t checks = 0;
  const std::uint64_t first_seed = spec.environment.seed;
  if (!flags.json) {
    output.Line(Headline(spec));
    output.Line(
        fmt::format("{:>8} {:>10} {:>9} {:>9} {:>9} {:>9} {:>10} {:>12} "
                    "{:>9}  {}",
                    "seed", "regret", "set-up s", "run s", "p50 us", "p99 us",
                    "max us", "scored/step", "peak MB", "decisions"));
  }
  for (std::uint64_t run = 0; run < flags.runs; ++run) {
    spec.environment.seed = first_seed + run;
    spec.environment.theta_seed =
        flags.fixed_theta ? first_seed : spec.environment.seed;
    progress.Begin(fmt::format("run {} of {}", run + 1, flags.runs));
    const RunResult result = RunExperiment(
        spec, [&progress](double done) { progress.Update(done); });
    progress.Erase();
    regrets.push_back(result.regret);
    checks += result.stats.checks;
    output.Line(flags.json ? JsonRow(spec, result) : TableRow(spec, result));
  }
  if (!flags.json && AsksForChecks(spec.search)) {
    output.Line(
        fmt::format("{} answers compared with a scan's: all equal",
                    reproduction::Grouped(static_cast<double>(checks))));
  }
  if (!flags.json && flags.runs > 1) {
    output.Line(fmt::format(
        "regret {:.1f} on average, standard deviation {:.1f}",
        reproduction::Mean(regrets), reproduction::Deviation(regrets)));
  }
  const std::string theorem = TheoremLine(spec);
  if (!flags.json && !theorem.empty()) output.Line(theorem);
}

void AddBanditFlags(CLI::App& command, Flags& flags) {
  flags.bandit.emplace(command);
  flags.learning.emplace(command);
}

void AddVisitFlags(CLI::App& command, Flags& flags) {
  constexpr const char* kGroup = "Learners and contexts";
  SyntheticOptions& world = flags.spec.environment;
  command
      .add_option("--learners", world.learners,
                  "Learners over the same arms, one of whom comes at each "
                  "step; 0: one bandit")
      ->check(Count())
      ->group(kGroup);
  command
      .add_option("--own-share", world.own_share,
                  "Share of the variance of a learner's true parameter that "
                  "is its own; the rest is common to all")
      ->group(kGroup);
  command
      .add_option("--zipf", world.zipf,
                  "Exponent of Zipf's law, by which learners come; 0: all are "
                  "equally likely")
      ->group(kGroup);
  command
      .add_option("--order-budget", flags.spec.order_budget,
                  "Bytes that the orders of all learners may take together")
      ->check(Count())
      ->group(kGroup);
  command
      .add_option("--prior", flags.prior,
                  "What learners begin with: nothing (independent), or what "
                  "the others have taught (shared)")
      ->check(CLI::IsMember({"independent", "shared"}))
      ->group(kGroup);
  command
      .add_option("--context", world.context_dim,
                  "Values of the context that comes with each choice; 0: "
                  "there are no contexts")
      ->check(Count())
      ->group(kGroup);
  command
      .add_option("--distinct-contexts", world.distinct_contexts,
                  "How many contexts there are; 0: each choice has a new one")
      ->check(Count())
      ->group(kGroup);
  command
      .add_flag("--no-context-constants", flags.no_context_constants,
                "No constant 1 is appended to contexts and features")
      ->group(kGroup);
}

void AddWorldFlags(CLI::App& command, Flags& flags) {
  SyntheticOptions& world = flags.spec.environment;
  command.add_option("--arms", world.arms, "Arms at the start")
      ->check(Count())
      ->group("World");
  command.add_option("--dim", world.dim, "Features of an arm")
      ->check(Count())
      ->group("World");
  command.add_option("--steps", flags.spec.steps, "Choices to make (T)")
      ->check(Count())
      ->group("World");
  command
      .add_option("--add", world.add, "Arms added at each change (see --every)")
      ->check(Count())
      ->group("World");
  command
      .add_option("--remove", world.remove,
                  "Random arms removed at each change")
      ->check(Count())
      ->group("World");
  command.add_option("--every", world.every, "Steps between changes")
      ->check(Count())
      ->group("World");
  command
      .add_option("--noise", world.noise,
                  "Standard deviation of a reward's noise")
      ->group("World");
  command.add_option("--seed", world.seed, "Of everything that is random")
      ->check(Count())
      ->group("World");
  command
      .add_flag("--fixed-theta", flags.fixed_theta,
                "One true parameter for all runs, not one for each")
      ->group("World");
  command
      .add_flag("--unit-ball", world.unit_ball,
                "Arms and true parameter within length 1, as the theorems "
                "want it")
      ->group("World");
}

void AddRewardFlags(CLI::App& command, Flags& flags) {
  constexpr const char* kGroup = "Clicks and changing tastes";
  SyntheticOptions& world = flags.spec.environment;
  command
      .add_option("--click-rate", world.click_rate,
                  "Rewards are clicks, and arms are clicked so often on "
                  "average; 0: rewards are linear, with noise")
      ->group(kGroup);
  command
      .add_option("--click-spread", world.click_spread,
                  "Standard deviation of the log-odds with which arms are "
                  "clicked")
      ->group(kGroup);
  command
      .add_option("--turn-every", world.turn_every,
                  "Steps after which there is another true parameter, again "
                  "and again; 0: it never turns")
      ->check(Count())
      ->group(kGroup);
  command
      .add_option("--drift", world.drift,
                  "Angle by which the true parameter moves on with each step, "
                  "in radians")
      ->group(kGroup);
}

void AddOutputFlags(CLI::App& command, Flags& flags) {
  command
      .add_option("--runs", flags.runs,
                  "How many runs, with seeds that follow one another")
      ->check(Count())
      ->group("Output");
  command.add_flag("--json", flags.json, "One JSON object a run")
      ->group("Output");
  command
      .add_option("--output", flags.output,
                  "Write to this file instead of standard output")
      ->group("Output");
}

}  // namespace

void AddSimulate(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "simulate",
      "Run a policy with a search in the paper's synthetic world, for one "
      "learner or many, with or without contexts");
  command->option_defaults()->always_capture_default();
  command->fallthrough();
  AddBanditFlags(*command, *flags);
  AddWorldFlags(*command, *flags);
  AddVisitFlags(*command, *flags);
  AddRewardFlags(*command, *flags);
  AddOutputFlags(*command, *flags);
  command->callback([flags] { Simulate(*flags); });
}

}  // namespace manyarms::cli
