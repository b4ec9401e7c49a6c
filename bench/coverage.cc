// How often intervals of off-policy evaluation contain the truth, over
// simulated logs whose truth is known: for logs of different lengths and
// targets that differ more and more from the policy that made the log. Prints
// the tables of docs/evaluation.md.
//
//   bench_coverage [logs]             # by length and target
//   bench_coverage intervals [logs]   # other intervals of SNIPS, on short logs

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "evaluation/student.h"
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

// How often intervals of SNIPS contain the truth if they are made in other
// ways.
struct OtherIntervals {
  double normal = 0, student = 0, bootstrap = 0, ours = 0;
};

// The middle share of estimates of logs that are drawn from this one.
Estimate Bootstrap(const testing::SimulatedLogs::Log& log,
                   RandomStream& random) {
  constexpr std::size_t kSamples = 400;
  const std::size_t n = log.rewards.size();
  std::vector<double> values;
  while (values.size() < kSamples) {
    double rewards = 0;
    double weights = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = random.Below(n);
      rewards += log.target[j] / log.logged[j] * log.rewards[j];
      weights += log.target[j] / log.logged[j];
    }
    if (weights > 0) values.push_back(rewards / weights);
  }
  std::ranges::sort(values);
  return {.value = 0,
          .standard_error = 0,
          .low = values[kSamples / 40],
          .high = values[kSamples - 1 - kSamples / 40]};
}

OtherIntervals Compare(const testing::SimulatedLogs::Options& options,
                       std::uint64_t logs) {
  const testing::SimulatedLogs world(options);
  const double one = 1 / static_cast<double>(logs);
  const double student =
      StudentQuantile(0.95, static_cast<double>(options.choices - 1));
  OtherIntervals covered;
  for (std::uint64_t seed = 0; seed < logs; ++seed) {
    const testing::SimulatedLogs::Log log = world.Make(seed);
    const Estimate ours = SelfNormalised(log.choices());
    const double away = std::abs(ours.value - world.truth());
    if (away <= 1.959963985 * ours.standard_error) covered.normal += one;
    if (away <= student * ours.standard_error) covered.student += one;
    if (ours.low <= world.truth() && world.truth() <= ours.high) {
      covered.ours += one;
    }
    RandomStream random(seed, RandomStream::Role::kPick, 0);
    const Estimate sampled = Bootstrap(log, random);
    if (sampled.low <= world.truth() && world.truth() <= sampled.high) {
      covered.bootstrap += one;
    }
  }
  return covered;
}

void RunIntervals(std::uint64_t logs) {
  fmt::print(
      "| choices | target | normal | n - 1 | bootstrap | effective - 1 |\n"
      "|---:|---|---:|---:|---:|---:|\n");
  for (const Row& row : Rows()) {
    if (row.options.choices > 300) continue;
    const OtherIntervals covered = Compare(row.options, logs);
    fmt::print("| {} | {} | {:.1f} % | {:.1f} % | {:.1f} % | {:.1f} % |\n",
               row.options.choices, row.about, 100 * covered.normal,
               100 * covered.student, 100 * covered.bootstrap,
               100 * covered.ours);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace manyarms

int main(int argc, char** argv) {
  const bool intervals = argc > 1 && std::string(argv[1]) == "intervals";
  const int place = intervals ? 2 : 1;
  const std::uint64_t logs =
      argc > place ? std::strtoull(argv[place], nullptr, 10) : 1000;
  if (intervals) {
    manyarms::RunIntervals(logs);
  } else {
    manyarms::Run(logs);
  }
}
