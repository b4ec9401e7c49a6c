#include "search/hnsw/hnsw_graph.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

// hnswlib chooses its vector instructions when it is compiled. The kernels,
// which are used instead, choose theirs at run time.
#define NO_MANUAL_VECTORIZATION
#include <hnswlib/hnswlib.h>

#include "kernels/kernels.h"

namespace manyarms {
namespace {

std::size_t Padded(std::size_t dim) { return (dim + 3) / 4 * 4; }

// What hnswlib passes to a distance function. Evaluations are counted here
// because hnswlib's own counter includes neighbours that it has visited before
// and skips.
struct Parameters {
  std::size_t dim;
  mutable std::uint64_t evaluations = 0;
};

using RowKernel = float(const float*, const float*, std::size_t);

template <RowKernel kKernel>
float Evaluate(const void* a, const void* b, const void* parameters) {
  const auto& given = *static_cast<const Parameters*>(parameters);
  ++given.evaluations;
  return kKernel(static_cast<const float*>(a), static_cast<const float*>(b),
                 given.dim);
}

float NegativeInnerProduct(const float* a, const float* b, std::size_t n) {
  return -kernels::InnerProduct(a, b, n);
}

class Space final : public hnswlib::SpaceInterface<float> {
 public:
  Space(std::size_t dim, HnswGraph::Nearness nearness)
      : parameters_{dim}, nearness_(nearness) {}

  std::uint64_t evaluations() const { return parameters_.evaluations; }

  std::size_t get_data_size() override {
    return parameters_.dim * sizeof(float);
  }
  hnswlib::DISTFUNC<float> get_dist_func() override {
    return nearness_ == HnswGraph::Nearness::kEuclidean
               ? Evaluate<kernels::SquaredDistance>
               : Evaluate<NegativeInnerProduct>;
  }
  void* get_dist_func_param() override { return &parameters_; }

 private:
  Parameters parameters_;
  HnswGraph::Nearness nearness_;
};

constexpr std::size_t kSmallestCapacity = 64;

// Some failed allocations in hnswlib throw std::runtime_error.
template <class Work>
void WithHnswlib(const Work& work) {
  try {
    work();
  } catch (const std::runtime_error&) {
    throw std::bad_alloc();
  }
}

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
                     const HnswOptions& options, std::uint64_t seed,
                     std::size_t most_nodes)
    : dim_(dim), most_nodes_(most_nodes), padded_(Padded(dim)) {
  WithHnswlib([&] {
    index_ = std::make_unique<Index>(Padded(dim), nearness, options, seed);
  });
}

HnswGraph::~HnswGraph() = default;
HnswGraph::HnswGraph(HnswGraph&&) noexcept = default;

HnswGraph::Node HnswGraph::Add(std::span<const float> vector) {
  if (nodes_ >= most_nodes_) throw std::bad_alloc();
  auto& graph = index_->graph;
  std::ranges::copy(vector, padded_.begin());
  WithHnswlib([&] {
    if (nodes_ == graph.max_elements_) {
      // resizeIndex deletes the pool and then allocates another. If that
      // failed, the destructor would delete it a second time.
      delete std::exchange(graph.visited_list_pool_, nullptr);
      graph.resizeIndex(2 * nodes_);
    }
    graph.addPoint(padded_.data(), nodes_);
  });
  return static_cast<Node>(nodes_++);
}

void HnswGraph::Kill(Node node) {
  index_->graph.markDelete(node);
  ++dead_;
}

bool HnswGraph::IsDead(Node node) const {
  return index_->graph.isMarkedDeleted(node);
}

std::vector<HnswGraph::Node> HnswGraph::Near(std::span<const float> query,
                                             std::size_t count,
                                             std::size_t effort) {
  auto& graph = index_->graph;
  std::ranges::copy(query, padded_.begin());
  graph.setEf(effort);
  const std::uint64_t before = index_->space.evaluations();
  auto nearest = graph.searchKnn(padded_.data(), count);
  visits_ += index_->space.evaluations() - before;

  std::vector<Node> nodes;
  nodes.reserve(nearest.size());
  for (; !nearest.empty(); nearest.pop()) {
    nodes.push_back(static_cast<Node>(nearest.top().second));
  }
  return nodes;
}

}  // namespace manyarms
