#include "search/hnsw_graph.h"

#include <algorithm>

// hnswlib's own vector code is chosen when it is compiled; ours, below, when
// it runs.
#define NO_MANUAL_VECTORIZATION
#include <hnswlib/hnswlib.h>

#include "kernels/kernels.h"
#include "manyarms/error.h"

namespace manyarms {
namespace {

std::size_t Padded(std::size_t dim) { return (dim + 3) / 4 * 4; }

float EuclideanDistance(const void* a, const void* b, const void* dim) {
  return kernels::SquaredDistance(static_cast<const float*>(a),
                                  static_cast<const float*>(b),
                                  *static_cast<const std::size_t*>(dim));
}

float InnerProductDistance(const void* a, const void* b, const void* dim) {
  return -kernels::InnerProduct(static_cast<const float*>(a),
                                static_cast<const float*>(b),
                                *static_cast<const std::size_t*>(dim));
}

class Space final : public hnswlib::SpaceInterface<float> {
 public:
  Space(std::size_t dim, HnswGraph::Nearness nearness)
      : dim_(dim), nearness_(nearness) {}

  std::size_t get_data_size() override { return dim_ * sizeof(float); }
  hnswlib::DISTFUNC<float> get_dist_func() override {
    return nearness_ == HnswGraph::Nearness::kEuclidean ? EuclideanDistance
                                                        : InnerProductDistance;
  }
  void* get_dist_func_param() override { return &dim_; }

 private:
  std::size_t dim_;
  HnswGraph::Nearness nearness_;
};

constexpr std::size_t kSmallestCapacity = 64;

}  // namespace

struct HnswGraph::Index {
  Index(std::size_t dim, Nearness nearness, const HnswOptions& options,
        std::uint64_t seed)
      : space(dim, nearness),
        graph(&space, kSmallestCapacity, options.links, options.build_effort,
              seed) {}

  Space space;
  hnswlib::HierarchicalNSW<float> graph;
};

HnswGraph::HnswGraph(std::size_t dim, Nearness nearness,
                     const HnswOptions& options, std::uint64_t seed)
    : dim_(dim),
      index_(std::make_unique<Index>(Padded(dim), nearness, options, seed)),
      padded_(Padded(dim)) {}

HnswGraph::~HnswGraph() = default;
HnswGraph::HnswGraph(HnswGraph&&) noexcept = default;

HnswGraph::Node HnswGraph::Add(std::span<const float> vector) {
  auto& graph = index_->graph;
  std::ranges::copy(vector, padded_.begin());
  try {
    if (nodes_ == graph.max_elements_) graph.resizeIndex(2 * nodes_);
    graph.addPoint(padded_.data(), nodes_);
  } catch (const std::runtime_error& error) {  // it is out of memory
    throw Error(ErrorCode::kTooLarge, error.what());
  }
  return static_cast<Node>(nodes_++);
}

void HnswGraph::Kill(Node node) {
  index_->graph.markDelete(node);
  ++dead_;
}

std::vector<HnswGraph::Node> HnswGraph::Near(std::span<const float> query,
                                             std::size_t count,
                                             std::size_t effort) {
  auto& graph = index_->graph;
  std::ranges::copy(query, padded_.begin());
  graph.setEf(effort);
  graph.metric_distance_computations = 0;
  auto nearest = graph.searchKnn(padded_.data(), count);
  visits_ += static_cast<std::uint64_t>(graph.metric_distance_computations);

  std::vector<Node> nodes;
  nodes.reserve(nearest.size());
  for (; !nearest.empty(); nearest.pop()) {
    nodes.push_back(static_cast<Node>(nearest.top().second));
  }
  return nodes;
}

}  // namespace manyarms
