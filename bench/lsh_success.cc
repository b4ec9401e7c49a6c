// Measures how often a tree finds the answer, over random trees, queries and
// points, to compare with the planned probability.

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>

#include "lsh_bench.h"

namespace manyarms::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Outcome {
  bool found = false;
  bool wrong = false;
  std::uint64_t directions = 0;
  std::uint64_t scored = 0;
};

// Tries one query on its own tree over its own points.
Outcome Try(const Setting& setting, std::uint64_t seed) {
  const Instance instance = MakeInstance(Kind::kWorst, setting, seed);
  lsh::AdaptiveSolver solver(instance.points, ProblemOf(setting),
                             OptionsOf(setting), seed);
  for (lsh::PointNumber n = 0; n < setting.points; ++n) solver.Insert(n);
  const auto& query = instance.queries.front();
  const lsh::SolverAnswer answer = solver.Find(query);
  Outcome outcome{.found = answer.point.has_value(),
                  .directions = answer.directions,
                  .scored = answer.scored};
  if (answer.point) {
    outcome.wrong =
        lsh::InnerProduct(instance.points[*answer.point], InFloat(query)) <
        setting.ratio * setting.sought;
  }
  return outcome;
}

// An outcome depends on its seed alone, not on the thread that computes it.
std::vector<Outcome> TryAll(const Setting& setting, std::uint64_t seed,
                            const SuccessOptions& options) {
  std::vector<Outcome> outcomes(options.instances);
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  threads.reserve(options.threads);
  for (std::size_t t = 0; t < options.threads; ++t) {
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < outcomes.size(); i = next++) {
        outcomes[i] = Try(setting, seed + i);
      }
    });
  }
  threads.clear();  // joins all threads
  return outcomes;
}

void Measure(const Setting& setting, std::uint64_t seed,
             const SuccessOptions& options) {
  const Clock::time_point start = Clock::now();
  const auto outcomes = TryAll(setting, seed, options);
  std::size_t found = 0;
  std::size_t wrong = 0;
  double directions = 0;
  double scored = 0;
  for (const Outcome& outcome : outcomes) {
    found += outcome.found ? 1 : 0;
    wrong += outcome.wrong ? 1 : 0;
    directions += static_cast<double>(outcome.directions);
    scored += static_cast<double>(outcome.scored);
  }
  const auto count = static_cast<double>(outcomes.size());
  Json row;
  row["part"] = "success";
  row.update(Describe(setting));
  row["instances"] = outcomes.size();
  row["first_seed"] = seed;
  row["found"] = found;
  row["wrong"] = wrong;
  row["directions"] = directions / count;
  row["scored"] = scored / count;
  row["plan"] = Describe(PlanLsh(RequestOf(setting)));
  row["seconds"] = std::chrono::duration<double>(Clock::now() - start).count();
  Print(row);
}

}  // namespace

void MeasureSuccess(const SuccessOptions& options) {
  constexpr std::array<std::pair<double, double>, 6> kProblems = {{{0.5, 0.8},
                                                                   {0.5, 0.95},
                                                                   {0.25, 0.5},
                                                                   {0.8, 0.9},
                                                                   {0.3, 0.7},
                                                                   {0.7, 0.6}}};
  std::uint64_t seed = options.first_seed;  // each setting has a million seeds
  for (const auto& [ratio, sought] : kProblems) {
    for (const Reduction reduction :
         {Reduction::kPaper, Reduction::kSymmetric}) {
      for (const std::size_t dim : {8U, 16U}) {
        Measure({.ratio = ratio,
                 .sought = sought,
                 .reduction = reduction,
                 .dim = dim,
                 .points = options.points,
                 .success = options.success},
                seed, options);
        seed += 1'000'000;
      }
    }
  }
}

}  // namespace manyarms::bench
