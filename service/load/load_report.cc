#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "manyarms/version.h"
#include "service/load/run_load.h"

namespace manyarms::load {
namespace {

using Json = nlohmann::ordered_json;

double Rate(std::uint64_t count, const LoadReport& report) {
  return report.seconds > 0 ? static_cast<double>(count) / report.seconds : 0;
}

std::string LatencyLine(const char* what, std::size_t batch,
                        const Latencies& latencies, std::uint64_t done,
                        const LoadReport& report) {
  constexpr double kMillisecond = 1e-3;
  std::string line = fmt::format("{:<10}{:>12.0f}{:>12}", what,
                                 Rate(done, report), latencies.count() * batch);
  for (const double share : {0.5, 0.9, 0.99, 0.999}) {
    line += fmt::format("{:>10.3f}", latencies.Quantile(share) / kMillisecond);
  }
  return line + fmt::format("{:>10.3f}\n", latencies.Max() / kMillisecond);
}

Json LatencyJson(const Latencies& latencies) {
  return {
      {"count", latencies.count()},      {"mean", latencies.Mean()},
      {"p50", latencies.Quantile(0.5)},  {"p90", latencies.Quantile(0.9)},
      {"p99", latencies.Quantile(0.99)}, {"p999", latencies.Quantile(0.999)},
      {"max", latencies.Max()}};
}

Latencies Both(const Tally& tally) {
  Latencies both = tally.choose;
  both.Add(tally.reward);
  return both;
}

}  // namespace

std::string ToText(const LoadOptions& options, const LoadReport& report) {
  const DriveOptions& drive = options.drive;
  const Tally& tally = report.tally;
  std::string text = fmt::format(
      "{} arms x {}, {} learners, {} connections, {}{}\n", options.world.arms,
      options.world.dim, options.world.learners, drive.connections,
      drive.batch == 1 ? std::string("one choice in a request")
                       : fmt::format("{} choices in a request", drive.batch),
      drive.rate > 0 ? fmt::format(", {:g} choices/s are due", drive.rate)
                     : "");
  if (report.fill_seconds > 0) {
    text += fmt::format("arms added in {:.3g} s\n", report.fill_seconds);
  }
  text += fmt::format("{:<10}{:>12}{:>12}{:>10}{:>10}{:>10}{:>10}{:>10}\n", "",
                      "per second", "count", "p50 ms", "p90 ms", "p99 ms",
                      "p99.9 ms", "max ms");
  text +=
      LatencyLine("choose", drive.batch, tally.choose, tally.choices, report);
  text +=
      LatencyLine("reward", drive.batch, tally.reward, tally.rewards, report);
  text += fmt::format("{:.0f} requests/s in {:.3g} s\n",
                      Rate(tally.requests, report), report.seconds);
  for (const auto& [what, count] : tally.errors) {
    text += fmt::format("errors: {} x {}\n", count, what);
  }
  if (!tally.first_error.empty()) {
    text += fmt::format("the first error is {}\n", tally.first_error);
  }
  return text;
}

std::string ToJson(const LoadOptions& options, const LoadReport& report) {
  const DriveOptions& drive = options.drive;
  const Tally& tally = report.tally;
  Json row;
  row["arms"] = options.world.arms;
  row["dim"] = options.world.dim;
  row["learners"] = options.world.learners;
  row["zipf"] = options.world.zipf;
  row["rewards"] = options.world.clicks ? "clicks" : "linear";
  row["numbered"] = drive.numbered;
  row["seed"] = options.world.seed;
  row["visits"] = drive.visits;
  row["connections"] = drive.connections;
  row["threads"] = drive.threads;
  row["batch"] = drive.batch;
  row["rate"] = drive.rate;
  row["warm_up"] = drive.warm_up;
  row["seconds"] = report.seconds;
  row["fill_seconds"] = report.fill_seconds;
  row["requests_per_second"] = Rate(tally.requests, report);
  row["choices_per_second"] = Rate(tally.choices, report);
  row["rewards_per_second"] = Rate(tally.rewards, report);
  row["latency"] = LatencyJson(Both(tally));
  row["choose"] = LatencyJson(tally.choose);
  row["reward"] = LatencyJson(tally.reward);
  row["errors"] = Json::object();
  for (const auto& [what, count] : tally.errors) row["errors"][what] = count;
  row["first_error"] = tally.first_error;
  row["reconnects"] = tally.reconnects;
  row["version"] = kVersion;
  return row.dump();
}

}  // namespace manyarms::load
