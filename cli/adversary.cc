#include "manyarms/research/adversary.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "adversary_plot.h"
#include "commands.h"
#include "output.h"
#include "progress.h"
#include "reproduction/figures.h"
#include "reproduction/text.h"

namespace manyarms::cli {
namespace {

using reproduction::Grouped;

constexpr std::size_t kThoughtDim = 10;
constexpr std::size_t kThoughtRepetitions = 1000;

struct Flags {
  AdversaryOptions options;
  std::string reduction{ReductionName(AdversaryOptions().reduction)};
  bool json = false;
  std::string plot;
  std::string output;
};

const char* CopiesName(CopiesBy by) {
  switch (by) {
    case CopiesBy::kCaller:
      return "given";
    case CopiesBy::kProof:
      return "proof";
    case CopiesBy::kFormula:
      return "formula";
  }
  return "";
}

std::string_view SolverName(const AdversaryResult& result) {
  if (!result.adaptive) return "one copy, queries fixed beforehand";
  switch (result.copies_by) {
    case CopiesBy::kCaller:
      break;
    case CopiesBy::kProof:
      return "as many as the proof needs";
    case CopiesBy::kFormula:
      return "Algorithm 1, by the formula";
  }
  return result.copies == 1 ? "one copy" : "several copies";
}

double AllQueries(const AdversaryOptions& options) {
  return static_cast<double>(options.sequences) *
         static_cast<double>(options.queries);
}

std::string TableRow(const AdversaryOptions& options,
                     const AdversaryResult& result) {
  return fmt::format(
      "{:<34} {:>6} {:>9} {:>8.1f} % {:>8.1f} % {:>9.3f} % {:>9.3f} % {:>6} "
      "{:>7.2f} {:>6}",
      SolverName(result), result.copies, result.failed_sequences,
      100 * static_cast<double>(result.failed_sequences) /
          static_cast<double>(options.sequences),
      100 * result.failed_share_at_most,
      100 * static_cast<double>(result.failed_queries) / AllQueries(options),
      100 * static_cast<double>(result.failures_at.back()) /
          static_cast<double>(options.sequences),
      result.most_copies_asked,
      static_cast<double>(result.copies_asked) / AllQueries(options),
      result.wrong_answers);
}

std::string JsonRow(const AdversaryOptions& options,
                    const AdversaryResult& result) {
  nlohmann::ordered_json row;
  row["dim"] = options.dim;
  row["points"] = options.points;
  row["ratio"] = options.ratio;
  row["sought"] = options.sought;
  row["slack"] = options.slack;
  row["delta"] = options.delta;
  row["success"] = options.success;
  row["sequences"] = options.sequences;
  row["queries"] = options.queries;
  row["reduction"] = ReductionName(options.reduction);
  row["seed"] = options.seed;
  row["adaptive"] = result.adaptive;
  row["copies_by"] = CopiesName(result.copies_by);
  row["copies"] = result.copies;
  row["failed_sequences"] = result.failed_sequences;
  row["failed_share_at_most"] = result.failed_share_at_most;
  row["failed_queries"] = result.failed_queries;
  row["wrong_answers"] = result.wrong_answers;
  row["copies_asked"] = result.copies_asked;
  row["most_copies_asked"] = result.most_copies_asked;
  row["failures_at"] = result.failures_at;
  return row.dump();
}

void PrintTable(const AdversaryOptions& options,
                const std::vector<AdversaryResult>& results, Output& output) {
  output.Line(fmt::format(
      "{} points in dimension {}, (c, r, epsilon) = ({:g}, {:g}, {:g}), delta "
      "{:g}: {} sequences of {} queries",
      Grouped(static_cast<double>(options.points)), options.dim, options.ratio,
      options.sought, options.slack, options.delta,
      Grouped(static_cast<double>(options.sequences)),
      Grouped(static_cast<double>(options.queries))));
  output.Line(fmt::format(
      "{:<34} {:>6} {:>9} {:>10} {:>10} {:>11} {:>11} {:>6} {:>7} {:>6}", "",
      "", "sequences", "", "99 %:", "queries", "last query", "most", "copies",
      "wrong"));
  output.Line(fmt::format(
      "{:<34} {:>6} {:>9} {:>10} {:>10} {:>11} {:>11} {:>6} {:>7} {:>6}",
      "solver", "copies", "failed", "share", "at most", "failed", "failed",
      "asked", "a query", "ones"));
  for (const AdversaryResult& result : results) {
    output.Line(TableRow(options, result));
  }
}

void PrintThoughtExperiment(std::uint64_t seed, Output& output) {
  const ThoughtExperiment thought =
      RunThoughtExperiment(kThoughtDim, kThoughtRepetitions, seed);
  output.Line(fmt::format(
      "A hidden unit vector in dimension {}, {} queries for inner products, {} "
      "times:",
      kThoughtDim, kThoughtDim + 1,
      Grouped(static_cast<double>(kThoughtRepetitions))));
  output.Line(
      fmt::format("queries fixed beforehand come to {:.3f} (median), {:.3f} at "
                  "most; a last query solved from the answers comes to at "
                  "least {:.12f}",
                  thought.median_non_adaptive, thought.largest_non_adaptive,
                  thought.smallest_adaptive));
}

void Adversary(const Flags& flags) {
  AdversaryOptions options = flags.options;
  options.reduction = flags.reduction == ReductionName(Reduction::kPaper)
                          ? Reduction::kPaper
                          : Reduction::kSymmetric;
  // Opened before the work, so that a path that cannot be written is an error
  // at once.
  Output output(flags.output);
  std::optional<Output> plot;
  if (!flags.plot.empty()) {
    reproduction::RequireGnuplot();
    plot.emplace(flags.plot);
  }
  ProgressLine progress;
  progress.Begin("sequences");
  const std::vector<AdversaryResult> results = RunAdversary(
      options, [&progress](double done) { progress.Update(done); });
  progress.Erase();
  if (flags.json) {
    for (const AdversaryResult& result : results) {
      output.Line(JsonRow(options, result));
    }
  } else {
    PrintTable(options, results, output);
    PrintThoughtExperiment(options.seed, output);
  }
  if (plot) plot->Line(AdversaryPlot(options, results));
}

}  // namespace

void AddAdversary(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  AdversaryOptions& options = flags->options;
  CLI::App* command =
      app.add_subcommand("adversary",
                         "Show that queries which depend on answers defeat one "
                         "copy of the paper's solver, but not Algorithm 1");
  command->option_defaults()->always_capture_default();
  command->fallthrough();
  const auto count = [command](const char* name, auto& value,
                               const char* about) {
    return command->add_option(name, value, about)->check(Count());
  };

  count("--dim", options.dim, "Dimension of points and queries");
  count("--points", options.points, "Number of points (K)");
  command->add_option("--ratio", options.ratio,
                      "An answer needs this share of the sought inner product "
                      "(c)");
  command->add_option("--sought", options.sought,
                      "Inner product that is sought (r)");
  command->add_option(
      "--slack", options.slack,
      "Error that rounding of queries may cause in inner products (epsilon)");
  command->add_option("--delta", options.delta,
                      "Allowed probability that a whole sequence fails");
  count("--sequences", options.sequences,
        "Number of sequences, each against new copies");
  count("--queries", options.queries, "Number of queries in a sequence");
  count(
      "--copies", options.copies,
      "Numbers of copies to try, separated by commas; 0 tries both the number "
      "that the proof needs and the number by the formula (kappa)")
      ->delimiter(',');
  command
      ->add_option("--reduction", flags->reduction,
                   "How points are mapped to the sphere")
      ->check(CLI::IsMember({"symmetric", "paper"}));
  count("--seed", options.seed, "Random seed");
  count("--threads", options.threads,
        "Number of threads; it does not change the results");
  command->add_flag("--json", flags->json,
                    "Print one JSON object for each number of copies");
  command->add_option("--plot", flags->plot, "Write a plot to this SVG file");
  command->add_option("--output", flags->output,
                      "Write to this file instead of standard output");
  command->callback([flags] { Adversary(*flags); });
}

}  // namespace manyarms::cli
