#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "manyarms/error.h"
#include "manyarms/experiment.h"
#include "output.h"
#include "progress.h"
#include "statistics.h"

namespace manyarms::cli {
namespace {

// What the paper says of an algorithm: regret and its spread, seconds with and
// without preprocessing, and the speed-ups that it draws from them.
struct Published {
  double regret, spread;
  double seconds, run_seconds;
  double speedup, run_speedup;
};

enum class Kind { kScan, kGraph, kCertified };

struct Algorithm {
  const char* name;
  bool eliminates;
  Kind kind;
  std::size_t scan;   // the algorithm that it is held against
  std::size_t paper;  // its place among what is published, or kNotInPaper
};

constexpr std::size_t kNotInPaper = 4;

constexpr std::array<Algorithm, 6> kAlgorithms{{
    {"Linear Elim", true, Kind::kScan, 0, 0},
    {"Sub-Elim, shortlist 30", true, Kind::kGraph, 0, 1},
    {"Elim, certified", true, Kind::kCertified, 0, kNotInPaper},
    {"Linear TS", false, Kind::kScan, 3, 2},
    {"Sub-TS, shortlist 30", false, Kind::kGraph, 3, 3},
    {"TS, certified", false, Kind::kCertified, 3, kNotInPaper},
}};

// Table 1: 20,000 steps, 2 arms more every 20 of them.
struct Setting {
  std::size_t final_arms;
  std::array<Published, 4> published;
};

constexpr std::array<Setting, 2> kTable1{{
    {5000,
     {{{3866, 195, 11.74, 11.74, 1, 1},
       {3758, 190, 2.22, 1.99, 5.28, 5.89},
       {582, 54, 30.08, 30.08, 1, 1},
       {605, 59, 19.41, 19.29, 1.55, 1.56}}}},
    {100000,
     {{{4804, 146, 221.19, 221.19, 1, 1},
       {4701, 150, 59.40, 3.04, 3.72, 72.76},
       {721, 92, 280.78, 280.78, 1, 1},
       {734, 89, 32.81, 29.10, 8.56, 9.65}}}},
}};

constexpr std::uint64_t kSteps = 20000;
constexpr std::size_t kAdded = 2 * kSteps / 20;

struct Flags {
  std::uint64_t runs = 0;
  std::uint64_t seed = 1;
  std::string output;
};

// What came of one algorithm in one setting, a value a run.
struct Measured {
  std::vector<double> regret, seconds, run_seconds;
};

RunSpec SpecFor(const Algorithm& algorithm, const Setting& setting,
                std::uint64_t seed) {
  RunSpec spec;
  spec.steps = kSteps;
  spec.environment.arms = setting.final_arms - kAdded;
  spec.environment.seed = seed;
  spec.environment.theta_seed = seed;
  if (algorithm.eliminates) spec.policy = EliminationOptions{};
  switch (algorithm.kind) {
    case Kind::kScan:
      spec.search = ScanOptions{};
      break;
    case Kind::kGraph:
      // The graph that the paper's figures point to: its Sub-TS repeats its
      // Linear TS to the digit in several cells, which the Euclidean reduction
      // does not reach.
      spec.search = HnswOptions{.metric = HnswOptions::Metric::kInnerProduct};
      break;
    case Kind::kCertified:
      spec.search = CertifiedOptions{};
  }
  return spec;
}

Measured Measure(const Algorithm& algorithm, const Setting& setting,
                 std::uint64_t runs, std::uint64_t first_seed,
                 ProgressLine& progress) {
  Measured measured;
  for (std::uint64_t run = 0; run < runs; ++run) {
    progress.Begin(fmt::format("K = {:>7}  {:<22}  run {}/{}",
                               Grouped(setting.final_arms), algorithm.name,
                               run + 1, runs));
    const RunResult result =
        RunExperiment(SpecFor(algorithm, setting, first_seed + run),
                      [&progress](double done) { progress.Update(done); });
    measured.regret.push_back(result.regret);
    measured.seconds.push_back(result.setup_seconds + result.run_seconds);
    measured.run_seconds.push_back(result.run_seconds);
    progress.End(fmt::format("regret {:7.0f}  set-up {:6.2f} s  run {:5.2f} s",
                             result.regret, result.setup_seconds,
                             result.run_seconds));
  }
  return measured;
}

std::string WithSpread(double mean, double spread) {
  return fmt::format("{:.0f} +- {:.0f}", mean, spread);
}

std::string WithBracket(const char* prefix, double all, double run) {
  return all == run ? fmt::format("{}{:.3g}", prefix, all)
                    : fmt::format("{0}{1:.3g} ({0}{2:.3g})", prefix, all, run);
}

void PrintSetting(const Setting& setting, const std::vector<Measured>& measured,
                  std::uint64_t runs, Output& output) {
  constexpr auto kRow = "{:<22}  {:>13} {:>12}  {:>16} {:>14}  {:>17} {:>17}";
  output.Line("");
  output.Line(fmt::format("K = {}, {} run{}", Grouped(setting.final_arms), runs,
                          runs == 1 ? "" : "s"));
  output.Line(fmt::format(fmt::runtime(kRow), "", "regret", "paper", "seconds",
                          "paper", "speed-up", "paper"));
  for (std::size_t i = 0; i < kAlgorithms.size(); ++i) {
    const Algorithm& algorithm = kAlgorithms[i];
    const Measured& ours = measured[i];
    const double seconds = Mean(ours.seconds);
    // Only a graph is built beforehand.
    const double run_seconds =
        algorithm.kind == Kind::kGraph ? Mean(ours.run_seconds) : seconds;
    const double scan_seconds = Mean(measured[algorithm.scan].seconds);
    std::array<std::string, 3> published;
    if (algorithm.paper != kNotInPaper) {
      const Published& paper = setting.published[algorithm.paper];
      published = {WithSpread(paper.regret, paper.spread),
                   WithBracket("", paper.seconds, paper.run_seconds),
                   WithBracket("x", paper.speedup, paper.run_speedup)};
    }
    output.Line(fmt::format(
        fmt::runtime(kRow), algorithm.name,
        WithSpread(Mean(ours.regret), Deviation(ours.regret)), published[0],
        WithBracket("", seconds, run_seconds), published[1],
        WithBracket("x", scan_seconds / seconds, scan_seconds / run_seconds),
        published[2]));
  }
}

// Why a graph has less to gain here than in the paper.
void PrintAgainstPaper(const Setting& setting,
                       const std::vector<Measured>& measured, Output& output) {
  for (std::size_t i = 0; i < kAlgorithms.size(); ++i) {
    const Algorithm& algorithm = kAlgorithms[i];
    if (algorithm.kind != Kind::kScan) continue;
    output.Line(fmt::format(
        "{} takes {:.0f} times as long in the paper as here.", algorithm.name,
        setting.published[algorithm.paper].seconds /
            Mean(measured[i].seconds)));
  }
}

void Reproduce(const Flags& flags) {
  Output output(flags.output);
  ProgressLine progress;
  output.Line(
      "Table 1 of the paper: cumulative regret and time of 20,000 steps, 16 "
      "features, 2 arms more every 20 steps.");
  for (const Setting& setting : kTable1) {
    // A graph over 100,000 arms takes most of a minute to build.
    const std::uint64_t runs =
        flags.runs != 0 ? flags.runs : (setting.final_arms > 50000 ? 2 : 5);
    std::vector<Measured> measured;
    measured.reserve(kAlgorithms.size());
    for (const Algorithm& algorithm : kAlgorithms) {
      measured.push_back(
          Measure(algorithm, setting, runs, flags.seed, progress));
    }
    PrintSetting(setting, measured, runs, output);
    PrintAgainstPaper(setting, measured, output);
  }
  output.Line("");
  output.Line(
      "Regret: mean and standard deviation over runs (the paper: 10 runs); "
      "arms, noise and true parameter are drawn anew for each.");
  output.Line(
      "Seconds and speed-up: in brackets without building the graph (one, by "
      "raw inner product). A speed-up is the whole time of the scan above it "
      "over that of the row, ours over ours and the paper's over the paper's. "
      "Certified search, which the paper does not have, decides as the scan "
      "does.");
}

}  // namespace

void AddReproduce(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "reproduce",
      "Repeat the paper's Table 1 in a few minutes, with its figures beside");
  command->fallthrough();
  command->option_defaults()->always_capture_default();
  command
      ->add_option("--runs", flags->runs,
                   "Runs of each algorithm; 0: 5 and, at 100,000 arms, 2")
      ->check(Count());
  command->add_option("--seed", flags->seed, "Seed of the first run")
      ->check(Count());
  command->add_option(
      "--output", flags->output,
      "Write the table to this file instead of standard output");
  command->callback([flags] { Reproduce(*flags); });
}

}  // namespace manyarms::cli
