// How often intervals of off-policy evaluation contain the truth, over
// simulated logs whose truth is known: for logs of different lengths and
// targets that differ more and more from the policy that made the log. Prints
// the table of docs/evaluation.md.
//
//   bench_coverage [logs]

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "simulated_log.h"

namespace manyarms {
namespace {

struct Row {
  std::string about;
  testing::SimulatedLogs::Options options;
};

std::vector<Row> Rows() {
  std::vector<Row> rows;
  for (const std::size_t choices : {100U, 300U, 1000U, 3000U, 10'000U}) {
    const auto add = [&](std::string about,
                         testing::SimulatedLogs::Options options) {
      options.choices = choices;
      rows.push_back({std::move(about), options});
    };
    add("alike", {.logged_preference = 0.5, .target_preference = 0.5});
    add("different", {.logged_preference = 0.7, .target_preference = 1});
    add("very different", {.logged_preference = 1, .target_preference = 2});
    add("best arm, uniform log",
        {.logged_preference = 0, .target_is_best = true});
    // In fewer choices the best arm may not occur at all.
    if (choices < 3000) continue;
    add("best of 100 arms, uniform log",
        {.arms = 100, .logged_preference = 0, .target_is_best = true});
  }
  return rows;
}

void Run(std::uint64_t logs) {
  fmt::print(
      "| choices | target | effective | largest weight | IPS | SNIPS | DR |\n"
      "|---:|---|---:|---:|---:|---:|---:|\n");
  for (const Row& row : Rows()) {
    const testing::Covered covered = testing::CoverageOf(row.options, logs);
    fmt::print(
        "| {} | {} | {:.0f} | {:.0f} | {:.1f} % | {:.1f} % | {:.1f} % "
        "|\n",
        row.options.choices, row.about, covered.effective_sample_size,
        covered.largest_weight, 100 * covered.inverse_propensity,
        100 * covered.self_normalised, 100 * covered.doubly_robust);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace manyarms

int main(int argc, char** argv) {
  manyarms::Run(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000);
}
