#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "manyarms/error.h"
#include "manyarms/research/experiment.h"
#include "output.h"
#include "progress.h"
#include "reproduction/statistics.h"
#include "reproduction/text.h"
#include "reproduction/theory.h"

namespace manyarms::cli {
namespace {

struct Flags {
  std::string policy = "ts";
  std::string search{SearchName(SearchOptions())};
  std::string metric{MetricName(HnswOptions().metric)};
  std::string exploration = "2";
  double delta = 0.05;
  double accuracy = 0.01;
  CertifiedOptions certified;
  bool foreground = false;
  HnswOptions hnsw;
  std::string reduction{ReductionName(Reduction::kSymmetric)};
  LshOptions lsh;
  LshTheoryOptions lsh_theory;
  // Each search has its own defaults.
  std::optional<double> tree_bytes;
  std::optional<std::size_t> min_depth;
  RunSpec spec;
  std::uint64_t runs = 1;
  bool fixed_theta = false;
  bool json = false;
  std::string output;
};

Exploration ParseExploration(const Flags& flags) {
  const std::string& text = flags.exploration;
  if (text == "theory") {
    return TheoryRadius{.horizon = flags.spec.steps, .delta = flags.delta};
  }
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("exploration is '{}', must be a number or 'theory'", text));
  }
  return value;
}

PolicyOptions ParsePolicy(const Flags& flags) {
  const Exploration exploration = ParseExploration(flags);
  if (flags.policy == "elim") {
    return EliminationOptions{.exploration = exploration,
                              .accuracy = flags.accuracy};
  }
  if (flags.policy == "ucb") return UcbOptions{.exploration = exploration};
  return ThompsonOptions{.exploration = exploration};
}

// A check that was asked for and is not made would be worse than none.
void RefuseFlagsOfCertified(const Flags& flags) {
  if (!flags.foreground && flags.certified.check_every == 0) return;
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("{} is for search certified, not {}",
                          flags.foreground ? "--foreground" : "--check-every",
                          flags.search));
}

SearchOptions ParseSearch(const Flags& flags) {
  if (flags.search == "certified") {
    CertifiedOptions certified = flags.certified;
    certified.background = !flags.foreground;
    return certified;
  }
  RefuseFlagsOfCertified(flags);
  if (flags.search == "scan") return ScanOptions{};
  const Reduction reduction =
      flags.reduction == ReductionName(Reduction::kPaper)
          ? Reduction::kPaper
          : Reduction::kSymmetric;
  if (flags.search == "lsh") {
    LshOptions lsh = flags.lsh;
    lsh.reduction = reduction;
    lsh.max_bytes = flags.tree_bytes.value_or(lsh.max_bytes);
    lsh.min_depth = flags.min_depth.value_or(lsh.min_depth);
    return lsh;
  }
  if (flags.search == "lsh-theory") {
    LshTheoryOptions lsh = flags.lsh_theory;
    lsh.reduction = reduction;
    lsh.delta = flags.delta;
    lsh.max_bytes = flags.tree_bytes.value_or(lsh.max_bytes);
    lsh.min_depth = flags.min_depth.value_or(lsh.min_depth);
    return lsh;
  }
  HnswOptions hnsw = flags.hnsw;
  for (const auto metric :
       {HnswOptions::Metric::kEuclidean, HnswOptions::Metric::kInnerProduct,
        HnswOptions::Metric::kBoth}) {
    if (flags.metric == MetricName(metric)) hnsw.metric = metric;
  }
  return hnsw;
}

std::string Headline(const RunSpec& spec) {
  const SyntheticOptions& world = spec.environment;
  return fmt::format(
      "{} x {}: {} arms, +{} -{} every {} steps, dimension {}, {} steps",
      PolicyName(spec.policy), SearchName(spec.search),
      reproduction::Grouped(static_cast<double>(world.arms)), world.add,
      world.remove, world.every, world.dim,
      reproduction::Grouped(static_cast<double>(spec.steps)));
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

// Whether the assumptions of the policy's theorem are met.
bool TheoremHolds(const Flags& flags) {
  const RunSpec& spec = flags.spec;
  const bool search =
      flags.search == "scan" || flags.search == "certified" ||
      (flags.search == "lsh-theory" && flags.lsh_theory.copies == 0);
  const bool arms = flags.policy == "ts" ||
                    (flags.policy == "elim" && spec.environment.remove == 0);
  return search && arms && flags.exploration == "theory" &&
         spec.environment.unit_ball && spec.environment.noise <= 1 &&
         spec.regularisation == 1 && !spec.negative_rewards;
}

// What a theorem promises of the regret, where one does.
std::string TheoremLine(const Flags& flags) {
  if (!TheoremHolds(flags)) return "";
  reproduction::TheoremSetting setting{.dim = flags.spec.environment.dim,
                                       .steps = flags.spec.steps,
                                       .delta = flags.delta,
                                       .accuracy = flags.accuracy};
  double bound = 0;
  if (flags.policy == "ts") {
    // Of the ladder; an exact search has none.
    setting.accuracy =
        flags.search == "lsh-theory" ? flags.lsh_theory.accuracy : 0;
    bound = reproduction::ThompsonBound(setting);
  } else {
    bound = reproduction::EliminationBound(setting);
  }
  return fmt::format("theorem {}: at most {} with probability {:.4g}",
                     flags.policy == "ts" ? "6.1" : "5.2",
                     reproduction::Grouped(bound), 1 - flags.delta);
}

void Simulate(Flags flags) {
  RunSpec& spec = flags.spec;
  spec.policy = ParsePolicy(flags);
  spec.search = ParseSearch(flags);
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
  if (!flags.json && flags.certified.check_every > 0) {
    output.Line(
        fmt::format("{} answers compared with a scan's: all equal",
                    reproduction::Grouped(static_cast<double>(checks))));
  }
  if (!flags.json && flags.runs > 1) {
    output.Line(fmt::format(
        "regret {:.1f} on average, standard deviation {:.1f}",
        reproduction::Mean(regrets), reproduction::Deviation(regrets)));
  }
  const std::string theorem = TheoremLine(flags);
  if (!flags.json && !theorem.empty()) output.Line(theorem);
}

}  // namespace

void AddSimulate(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  SyntheticOptions& world = flags->spec.environment;
  CLI::App* command = app.add_subcommand(
      "simulate", "Run a policy with a search in the paper's synthetic world");
  command->option_defaults()->always_capture_default();
  command->fallthrough();

  command->add_option("--policy", flags->policy, "How arms are chosen")
      ->check(CLI::IsMember({"ts", "elim", "ucb"}))
      ->group("Bandit");
  command
      ->add_option("--search", flags->search,
                   "How the best arm is found: certified and scan exactly, "
                   "certified faster than all others; hnsw and lsh nearly; "
                   "lsh-theory as in the paper's proofs, for few arms within "
                   "length 1 (--unit-ball)")
      ->check(CLI::IsMember({"certified", "scan", "hnsw", "lsh", "lsh-theory"}))
      ->group("Bandit");
  command
      ->add_option(
          "--exploration", flags->exploration,
          "Radius of the confidence sets (beta in the paper): a number "
          "or 'theory'")
      ->group("Bandit");
  command
      ->add_option("--delta", flags->delta,
                   "How likely the theory's radius may fail (with theory), and "
                   "lsh-theory's answers")
      ->group("Bandit");
  command
      ->add_option(
          "--accuracy", flags->accuracy,
          "How finely elim tells arms apart (eta in the paper; elim only)")
      ->group("Bandit");
  command
      ->add_option("--regularisation", flags->spec.regularisation,
                   "Of the ridge regression (lambda)")
      ->group("Bandit");
  command
      ->add_flag("--negative-rewards", flags->spec.negative_rewards,
                 "The paper's extension for rewards that may all be negative")
      ->group("Bandit");

  command
      ->add_flag(
          "--foreground", flags->foreground,
          "ts and ucb: take snapshots on the choosing thread, not beside "
          "it; same decisions")
      ->group("Search certified");
  command
      ->add_option("--check-every", flags->certified.check_every,
                   "Compare every n-th answer with a full scan's and stop at a "
                   "difference; 0: none")
      ->check(Count())
      ->group("Search certified");

  command
      ->add_option("--shortlist", flags->hnsw.shortlist,
                   "Arms from the graph that are scored exactly")
      ->check(Count())
      ->group("Search hnsw");
  command
      ->add_option("--metric", flags->metric,
                   "How the graphs think of inner product")
      ->check(CLI::IsMember({"both", "euclidean", "inner-product"}))
      ->group("Search hnsw");
  command->add_option("--links", flags->hnsw.links, "Links of a node (M)")
      ->check(Count())
      ->group("Search hnsw");
  command
      ->add_option("--build-effort", flags->hnsw.build_effort,
                   "Beam width when adding (ef construction)")
      ->check(Count())
      ->group("Search hnsw");
  command
      ->add_option("--effort", flags->hnsw.effort,
                   "Beam width when searching (ef); 0: as the shortlist")
      ->check(Count())
      ->group("Search hnsw");

  command
      ->add_option("--reduction", flags->reduction,
                   "How arms come to lie on a sphere")
      ->check(CLI::IsMember({"symmetric", "paper"}))
      ->group("Search lsh, lsh-theory");
  command
      ->add_option("--success", flags->lsh.success,
                   "lsh: how probably a better arm is found")
      ->group("Search lsh, lsh-theory");
  command
      ->add_option("--min-depth", flags->min_depth,
                   "Of trees; 1: even where a scan costs less [0, lsh-theory "
                   "1]")
      ->check(Count())
      ->group("Search lsh, lsh-theory");
  command
      ->add_option("--tree-bytes", flags->tree_bytes,
                   "The most that all trees may take [2e9, lsh-theory 4e9]")
      ->group("Search lsh, lsh-theory");
  command
      ->add_option("--copies", flags->lsh_theory.copies,
                   "lsh-theory: independent trees (kappa); 0: by the formula")
      ->check(Count())
      ->group("Search lsh, lsh-theory");
  command
      ->add_option("--ladder", flags->lsh_theory.accuracy,
                   "lsh-theory with ts: d divided by it is how many solvers "
                   "there are (eta)")
      ->group("Search lsh, lsh-theory");
  command
      ->add_option("--copy-threads", flags->lsh_theory.threads,
                   "lsh-theory: threads that ask copies at the same time")
      ->check(Count())
      ->group("Search lsh, lsh-theory");

  command->add_option("--arms", world.arms, "Arms at the start")
      ->check(Count())
      ->group("World");
  command->add_option("--dim", world.dim, "Features of an arm")
      ->check(Count())
      ->group("World");
  command->add_option("--steps", flags->spec.steps, "Choices to make (T)")
      ->check(Count())
      ->group("World");
  command->add_option("--add", world.add, "Arms added every so many steps")
      ->check(Count())
      ->group("World");
  command
      ->add_option("--remove", world.remove,
                   "Random arms removed every so many steps")
      ->check(Count())
      ->group("World");
  command->add_option("--every", world.every, "Steps between changes")
      ->check(Count())
      ->group("World");
  command
      ->add_option("--noise", world.noise,
                   "Standard deviation of a reward's noise")
      ->group("World");
  command->add_option("--seed", world.seed, "Of everything that is random")
      ->check(Count())
      ->group("World");
  command
      ->add_flag("--fixed-theta", flags->fixed_theta,
                 "One true parameter for all runs, not one for each")
      ->group("World");
  command
      ->add_flag("--unit-ball", world.unit_ball,
                 "Arms and true parameter within length 1, as the theorems "
                 "want it")
      ->group("World");

  command
      ->add_option("--runs", flags->runs,
                   "How many runs, with seeds that follow one another")
      ->check(Count())
      ->group("Output");
  command->add_flag("--json", flags->json, "One JSON object a run")
      ->group("Output");
  command
      ->add_option("--output", flags->output,
                   "Write to this file instead of standard output")
      ->group("Output");

  command->callback([flags] { Simulate(*flags); });
}

}  // namespace manyarms::cli
