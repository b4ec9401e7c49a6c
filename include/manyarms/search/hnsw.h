#ifndef MANYARMS_SEARCH_HNSW_OPTIONS_H_
#define MANYARMS_SEARCH_HNSW_OPTIONS_H_

#include <cstddef>
#include <string_view>

namespace manyarms {

/// Asks an HNSW graph (hnswlib) for a shortlist and scores that exactly, as
/// the paper's experiments did. Approximate; Best costs roughly O(log K).
///
/// Removed arms stay in the graph as dead nodes and are never returned; when a
/// quarter of the graph is dead it is built anew before the next use.
struct HnswOptions {
  /// How inner product becomes the distance that a graph thinks in. Each of
  /// the first two misses where the other finds (docs/design.md has figures),
  /// so both are asked by default, at twice the cost.
  enum class Metric {
    kEuclidean,     ///< the reduction of appendix A.1
    kInnerProduct,  ///< raw; can leave short arms out of reach
    kBoth,          ///< two graphs, the union of their shortlists
  };

  // What changes the decisions:
  std::size_t shortlist = 30;  ///< p in the paper (10, 30 or 100 there)
  Metric metric = Metric::kBoth;

  // What trades speed for recall:
  std::size_t links = 16;          ///< M in the HNSW paper; hnswlib's default
  std::size_t build_effort = 200;  ///< efConstruction; hnswlib's default
  std::size_t effort = 0;          ///< ef; 0 means as long as the shortlist

  bool operator==(const HnswOptions&) const = default;
};

std::string_view MetricName(HnswOptions::Metric metric);

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_HNSW_OPTIONS_H_
