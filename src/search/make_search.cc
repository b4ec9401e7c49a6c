#include <fmt/format.h>

#include "base/check.h"
#include "manyarms/error.h"
#include "search/certified/certified_index.h"
#include "search/hnsw/hnsw.h"
#include "search/lsh/lsh.h"
#include "search/lsh_theory/lsh_theory.h"
#include "search/scan/scan.h"
#include "search/search.h"

namespace manyarms {
namespace {

// d(d+1)/2 floats for an arm are 130 KB here; more is a mistake.
constexpr std::size_t kMaxFoldedDim = 256;

constexpr double kMinSuccess = 0.01;
constexpr double kMaxSuccess = 0.9999;
constexpr std::size_t kMaxTreeDepth = 3;
constexpr double kMostRungs = 10'000;
constexpr double kMinTreeBytes = 1e6;
constexpr double kMaxTreeBytes = 1e15;

// An index by inner product can serve ts, and elim after lifting.
void CheckServed(std::string_view search, std::string_view what_answers,
                 Objective objective, const ArmStore& store) {
  if (objective == Objective::kOptimism) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("search {} cannot serve policy ucb: {} maximum "
                            "inner product, and an upper confidence bound is "
                            "not one; use search certified",
                            search, what_answers));
  }
  if (objective == Objective::kQuadraticForm && store.dim() > kMaxFoldedDim) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("search {} for policy elim lifts d features to "
                            "d(d+1)/2; dimension is {} (negative rewards add "
                            "one), must be at most {}",
                            search, store.dim(), kMaxFoldedDim));
  }
}

std::unique_ptr<Index> Make(const CertifiedOptions& options,
                            const SearchTask& task, const ArmStore& store,
                            Scope scope, std::uint64_t) {
  return std::make_unique<CertifiedIndex>(options, task, store, scope);
}

std::unique_ptr<Index> Make(const ScanOptions&, const SearchTask& task,
                            const ArmStore& store, Scope scope, std::uint64_t) {
  return std::make_unique<ScanIndex>(task, store, scope);
}

std::unique_ptr<Index> Make(const HnswOptions& options, const SearchTask& task,
                            const ArmStore& store, Scope scope,
                            std::uint64_t seed) {
  CheckCount("shortlist", options.shortlist, 1, kMaxArms);
  CheckCount("links", options.links, 2, 1024);
  CheckCount("build effort", options.build_effort, 1, 1'000'000);
  CheckCount("effort", options.effort, 0, kMaxArms);
  CheckServed("hnsw", "a graph answers", task.objective, store);
  return std::make_unique<HnswIndex>(options, task, store, scope, seed);
}

std::unique_ptr<Index> Make(const LshOptions& options, const SearchTask& task,
                            const ArmStore& store, Scope scope,
                            std::uint64_t seed) {
  CheckWithin("success", options.success, kMinSuccess, kMaxSuccess);
  CheckCount("min depth", options.min_depth, 0, kMaxTreeDepth);
  CheckWithin("tree bytes", options.max_bytes, kMinTreeBytes, kMaxTreeBytes);
  CheckServed("lsh", "filter trees answer", task.objective, store);
  return std::make_unique<LshIndex>(options, task, store, scope, seed);
}

std::unique_ptr<Index> Make(const LshTheoryOptions& options,
                            const SearchTask& task, const ArmStore& store,
                            Scope scope, std::uint64_t seed) {
  CheckWithin("ladder", options.accuracy,
              static_cast<double>(store.dim()) / kMostRungs, 1);
  CheckWithin("delta", options.delta, 1e-100, 1);
  CheckCount("copies", options.copies, 0, 1'000'000);
  CheckCount("min depth", options.min_depth, 0, kMaxTreeDepth);
  CheckCount("threads", options.threads, 1, 1024);
  CheckWithin("tree bytes", options.max_bytes, kMinTreeBytes, kMaxTreeBytes);
  CheckServed("lsh-theory", "filter trees answer", task.objective, store);
  return std::make_unique<LshTheoryIndex>(options, task, store, scope, seed);
}

struct Name {
  std::string_view operator()(const CertifiedOptions&) const {
    return "certified";
  }
  std::string_view operator()(const ScanOptions&) const { return "scan"; }
  std::string_view operator()(const HnswOptions&) const { return "hnsw"; }
  std::string_view operator()(const LshOptions&) const { return "lsh"; }
  std::string_view operator()(const LshTheoryOptions&) const {
    return "lsh-theory";
  }
};

}  // namespace

std::string_view SearchName(const SearchOptions& options) {
  return std::visit(Name{}, options);
}

std::string_view MetricName(HnswOptions::Metric metric) {
  switch (metric) {
    case HnswOptions::Metric::kEuclidean:
      return "euclidean";
    case HnswOptions::Metric::kInnerProduct:
      return "inner-product";
    case HnswOptions::Metric::kBoth:
      return "both";
  }
  return "";
}

std::unique_ptr<Index> MakeIndex(const SearchOptions& options,
                                 const SearchTask& task, const ArmStore& store,
                                 Scope scope, std::uint64_t seed) {
  return std::visit(
      [&](const auto& chosen) {
        return Make(chosen, task, store, scope, seed);
      },
      options);
}

}  // namespace manyarms
