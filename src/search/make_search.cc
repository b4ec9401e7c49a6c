#include <fmt/format.h>

#include "base/check.h"
#include "manyarms/error.h"
#include "manyarms/search.h"
#include "search/certified.h"
#include "search/checked.h"
#include "search/hnsw.h"
#include "search/lazy_form.h"
#include "search/scan.h"

namespace manyarms {
namespace {

// d(d+1)/2 floats for an arm are 130 KB here; more is a mistake.
constexpr std::size_t kMaxFoldedDim = 256;

std::unique_ptr<Search> Make(const CertifiedOptions& options,
                             Objective objective, const Catalogue& catalogue,
                             const Posterior& posterior, std::uint64_t) {
  std::unique_ptr<Search> search;
  if (objective == Objective::kQuadraticForm) {
    search = std::make_unique<LazyFormSearch>(catalogue, posterior);
  } else {
    search = std::make_unique<CertifiedSearch>(options.background, objective,
                                               catalogue, posterior);
  }
  if (options.check_every == 0) return search;
  return std::make_unique<CheckedSearch>(std::move(search), options.check_every,
                                         objective, catalogue);
}

std::unique_ptr<Search> Make(const ScanOptions&, Objective objective,
                             const Catalogue& catalogue, const Posterior&,
                             std::uint64_t) {
  return std::make_unique<ScanSearch>(objective, catalogue);
}

std::unique_ptr<Search> Make(const HnswOptions& options, Objective objective,
                             const Catalogue& catalogue, const Posterior&,
                             std::uint64_t seed) {
  CheckCount("shortlist", options.shortlist, 1, kMaxArms);
  CheckCount("links", options.links, 2, 1024);
  CheckCount("build effort", options.build_effort, 1, 1'000'000);
  CheckCount("effort", options.effort, 0, kMaxArms);
  if (objective == Objective::kOptimism) {
    throw Error(ErrorCode::kUnsupported,
                "search hnsw cannot serve policy ucb: a graph answers maximum "
                "inner product, and an upper confidence bound is not one; use "
                "search certified");
  }
  if (objective == Objective::kQuadraticForm &&
      catalogue.dim() > kMaxFoldedDim) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("search hnsw for policy elim lifts d features to "
                            "d(d+1)/2; dimension is {} (negative rewards add "
                            "one), must be at most {}",
                            catalogue.dim(), kMaxFoldedDim));
  }
  return std::make_unique<HnswSearch>(options, objective, catalogue, seed);
}

struct Name {
  std::string_view operator()(const CertifiedOptions&) const {
    return "certified";
  }
  std::string_view operator()(const ScanOptions&) const { return "scan"; }
  std::string_view operator()(const HnswOptions&) const { return "hnsw"; }
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

std::unique_ptr<Search> MakeSearch(const SearchOptions& options,
                                   Objective objective,
                                   const Catalogue& catalogue,
                                   const Posterior& posterior,
                                   std::uint64_t seed) {
  return std::visit(
      [&](const auto& chosen) {
        return Make(chosen, objective, catalogue, posterior, seed);
      },
      options);
}

}  // namespace manyarms
