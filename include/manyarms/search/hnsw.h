#ifndef MANYARMS_SEARCH_HNSW_OPTIONS_H_
#define MANYARMS_SEARCH_HNSW_OPTIONS_H_

#include <cstddef>
#include <string_view>

namespace manyarms {

/// Asks HNSW graphs (hnswlib) for a shortlist and scores its arms exactly, as
/// in the paper's experiments. The search is approximate, and Best costs
/// roughly O(log K).
///
/// A removed arm stays in a graph as a dead node and is never returned. When a
/// quarter of a graph is dead, it is built again before its next use.
struct HnswOptions {
  /// How a graph derives its distance from the inner product. Each of the first
  /// two finds arms that the other misses (docs/design.md has figures), so the
  /// default is to ask both, at twice the cost.
  enum class Metric {
    kEuclidean,     ///< the reduction of appendix A.1
    kInnerProduct,  ///< as it is; may leave short arms out of reach
    kBoth,          ///< two graphs, the union of their shortlists
  };

  // These change the decisions:
  std::size_t shortlist = 30;  ///< p in the paper (10, 30 or 100 there)
  Metric metric = Metric::kBoth;

  // These trade speed for recall:
  std::size_t links = 16;          ///< M in the HNSW paper; hnswlib's default
  std::size_t build_effort = 200;  ///< efConstruction; hnswlib's default
  std::size_t effort = 0;          ///< ef; 0 means as long as the shortlist

  bool operator==(const HnswOptions&) const = default;
};

std::string_view MetricName(HnswOptions::Metric metric);

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_HNSW_OPTIONS_H_
