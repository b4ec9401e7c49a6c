#ifndef MANYARMS_SEARCH_HNSW_KIND_H_
#define MANYARMS_SEARCH_HNSW_KIND_H_

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/field.h"
#include "manyarms/search/hnsw.h"
#include "manyarms/types.h"
#include "search/kind.h"

namespace manyarms {

inline constexpr std::array<Choices<HnswOptions::Metric>::Choice, 3> kMetrics{
    {{HnswOptions::Metric::kBoth, "both"},
     {HnswOptions::Metric::kEuclidean, "euclidean"},
     {HnswOptions::Metric::kInnerProduct, "inner-product"}}};

template <>
struct SearchKind<HnswOptions> {
  static constexpr std::string_view kName = "hnsw";
  static constexpr std::uint8_t kTag = 2;
  static constexpr std::string_view kPythonName = "Hnsw";
  static constexpr std::string_view kSummary =
      "Asks HNSW graphs for a shortlist and scores that exactly, as in the "
      "paper's experiments; approximate.";
  static constexpr bool kExact = false;

  static constexpr std::tuple kFields{
      Field{&HnswOptions::shortlist,
            Counts{1, kMaxArms},
            {.name = "shortlist",
             .help = "Arms from the graph that are scored exactly (p in the "
                     "paper)",
             .decides = true}},
      Field{&HnswOptions::metric,
            Choices<HnswOptions::Metric>{kMetrics},
            {.name = "metric",
             .help = "How the graphs turn inner product into distance; both "
                     "asks two graphs",
             .decides = true}},
      Field{&HnswOptions::links,
            Counts{2, 1024},
            {.name = "links",
             .help = "Links of a node (M in the HNSW paper)",
             .decides = true}},
      Field{&HnswOptions::build_effort,
            Counts{1, 1'000'000},
            {.name = "build_effort",
             .help = "Beam width when an arm is added (efConstruction)",
             .decides = true}},
      Field{&HnswOptions::effort,
            Counts{0, kMaxArms},
            {.name = "effort",
             .help = "Beam width when the graph is asked (ef); 0: as long as "
                     "the shortlist",
             .decides = true}}};

  static std::string Refusal(Objective objective, std::size_t dim) {
    return RefusalOfProductIndex(kName, "a graph answers", objective, dim);
  }

  static double BytesPerArm(const HnswOptions& options, Objective objective,
                            double dim) {
    const double graphs = options.metric == HnswOptions::Metric::kBoth ? 2 : 1;
    return graphs * (4 * NumbersPerArm(objective, dim) +
                     8 * static_cast<double>(options.links)) +
           80;
  }

  static std::unique_ptr<Index> Make(const HnswOptions& options,
                                     const SearchTask& task,
                                     const ArmStore& store, Scope scope,
                                     std::uint64_t seed);

  static std::vector<Sample<HnswOptions>> Samples() {
    using Metric = HnswOptions::Metric;
    return {
        {"HnswBoth", {.metric = Metric::kBoth}, Laws::kOfSearches},
        {"HnswEuclidean", {.metric = Metric::kEuclidean}, Laws::kOfSearches},
        {"HnswRaw", {.metric = Metric::kInnerProduct}, Laws::kOfSearches},
        {.name = "HnswFullShortlist",
         .options = {.shortlist = 1'000'000},
         .laws = Laws::kOfSearches,
         .exact = true},
        {"Hnsw", {.shortlist = 10}, Laws::kOfPolicies},
        {"HnswRaw",
         {.shortlist = 10, .metric = Metric::kInnerProduct},
         Laws::kOfPolicies}};
  }
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_HNSW_KIND_H_
