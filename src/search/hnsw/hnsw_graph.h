#ifndef MANYARMS_SEARCH_HNSW_GRAPH_H_
#define MANYARMS_SEARCH_HNSW_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "search/search.h"

namespace manyarms {

/// An HNSW graph over vectors, by hnswlib. Nodes are numbered from 0 in the
/// order in which they are added, and the graph grows as needed. No other class
/// knows about distances or hnswlib.
///
/// Construction and Add throw std::bad_alloc when there is no memory. After
/// that the graph can only be destroyed.
class HnswGraph {
 public:
  using Node = std::uint32_t;
  enum class Nearness { kEuclidean, kInnerProduct };
  static constexpr std::size_t kUnlimited = ~std::size_t{0};

  /// Tests set `most_nodes`: beyond it Add throws std::bad_alloc.
  HnswGraph(std::size_t dim, Nearness nearness, const HnswOptions& options,
            std::uint64_t seed, std::size_t most_nodes = kUnlimited);
  ~HnswGraph();
  HnswGraph(HnswGraph&&) noexcept;

  Node Add(std::span<const float> vector);

  /// From now on searches pass through the node, but never return it.
  void Kill(Node node);
  bool IsDead(Node node) const;

  /// Up to `count` nodes near the query, found with a beam of `effort`.
  std::vector<Node> Near(std::span<const float> query, std::size_t count,
                         std::size_t effort);

  std::size_t dim() const { return dim_; }
  std::size_t nodes() const { return nodes_; }
  std::size_t dead() const { return dead_; }

  /// How many vectors Near has compared with a query so far.
  std::uint64_t visits() const { return visits_; }

 private:
  struct Index;

  std::size_t dim_;
  std::size_t most_nodes_;
  std::unique_ptr<Index> index_;
  std::vector<float> padded_;  // scratch
  std::size_t nodes_ = 0;
  std::size_t dead_ = 0;
  std::uint64_t visits_ = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_HNSW_GRAPH_H_
