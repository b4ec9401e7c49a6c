#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kernels/kernels.h"
#include "manyarms/research/experiment.h"
#include "manyarms/version.h"

namespace manyarms {
namespace {

using Json = nlohmann::ordered_json;

void Describe(const Exploration& exploration, Json& row) {
  if (const double* constant = std::get_if<double>(&exploration)) {
    row["exploration"] = *constant;
  } else {
    row["exploration"] = "theory";
    row["delta"] = std::get<TheoryRadius>(exploration).delta;
  }
}

void Describe(const ThompsonOptions&, Json&) {}
void Describe(const UcbOptions&, Json&) {}
void Describe(const EliminationOptions& options, Json& row) {
  row["accuracy"] = options.accuracy;
}

void Describe(const CertifiedOptions& options, Json& row) {
  row["background"] = options.background;
  row["check_every"] = options.check_every;
}
void Describe(const ScanOptions&, Json&) {}
void Describe(const HnswOptions& options, Json& row) {
  row["shortlist"] = options.shortlist;
  row["metric"] = MetricName(options.metric);
  row["links"] = options.links;
  row["build_effort"] = options.build_effort;
  row["effort"] = options.effort;
}
void Describe(const LshOptions& options, Json& row) {
  row["reduction"] = ReductionName(options.reduction);
  row["success"] = options.success;
  row["min_depth"] = options.min_depth;
  row["max_bytes"] = options.max_bytes;
}
void Describe(const LshTheoryOptions& options, Json& row) {
  row["reduction"] = ReductionName(options.reduction);
  row["ladder_accuracy"] = options.accuracy;
  row["search_delta"] = options.delta;
  row["copies"] = options.copies;
  row["min_depth"] = options.min_depth;
  row["threads"] = options.threads;
  row["max_bytes"] = options.max_bytes;
}

}  // namespace

std::string JsonRow(const RunSpec& spec, const RunResult& result) {
  const SyntheticOptions& world = spec.environment;
  Json row;
  row["policy"] = PolicyName(spec.policy);
  row["search"] = SearchName(spec.search);
  row["arms"] = world.arms;
  row["dim"] = world.dim;
  row["steps"] = spec.steps;
  row["add"] = world.add;
  row["remove"] = world.remove;
  row["every"] = world.every;
  row["noise"] = world.noise;
  row["seed"] = world.seed;
  row["theta_seed"] = world.theta_seed;
  row["unit_ball"] = world.unit_ball;
  std::visit(
      [&row](const auto& policy) {
        Describe(policy.exploration, row);
        Describe(policy, row);
      },
      spec.policy);
  row["regularisation"] = spec.regularisation;
  row["negative_rewards"] = spec.negative_rewards;
  std::visit([&row](const auto& search) { Describe(search, row); },
             spec.search);

  row["regret"] = result.regret;
  row["setup_seconds"] = result.setup_seconds;
  row["run_seconds"] = result.run_seconds;
  row["arms_scored"] = result.stats.arms_scored;
  if (std::holds_alternative<EliminationOptions>(spec.policy)) {
    row["eliminations"] = result.stats.eliminations;
    row["mass_elimination_step"] = result.mass_elimination_step;
    row["mass_elimination_seconds"] = result.mass_elimination_seconds;
  }
  row["recoveries"] = result.stats.recoveries;
  row["snapshots"] = result.stats.snapshots;
  row["snapshot_seconds"] = result.stats.snapshot_seconds;
  row["arms_bounded"] = result.stats.arms_bounded;
  row["checks"] = result.stats.checks;
  row["directions"] = result.stats.directions;
  row["scans"] = result.stats.scans;
  row["decision_digest"] = fmt::format("{:016x}", result.decision_digest);
  row["latency_us"] = {{"p50", result.latency.p50},
                       {"p99", result.latency.p99},
                       {"p999", result.latency.p999},
                       {"max", result.latency.max}};
  row["peak_rss_bytes"] = result.peak_rss_bytes;
  row["instructions"] = kernels::InstructionSet();
  row["version"] = kVersion;
  return row.dump();
}

}  // namespace manyarms
