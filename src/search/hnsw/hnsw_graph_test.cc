#include "search/hnsw/hnsw_graph.h"

#include "search/hnsw/hnsw.h"
#include "testing.h"

namespace manyarms {
namespace {

TEST(HnswGraph, GrowsByItself) {
  HnswGraph graph(5, HnswGraph::Nearness::kEuclidean, HnswOptions{}, 1);
  const auto rows = testing::GaussianRows(1000, 5, 1);
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(graph.Add(std::span(rows).subspan(i * 5, 5)), i);
  }
  EXPECT_EQ(graph.nodes(), 1000U);
  int found = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    const auto near = graph.Near(std::span(rows).subspan(i * 5, 5), 1, 50);
    found += near.at(0) == i ? 1 : 0;
  }
  EXPECT_GT(found, 990);
  EXPECT_GT(graph.visits(), 1000U);
}

TEST(HnswGraph, PassesThroughDeadNodesButNeverFindsThem) {
  HnswGraph graph(3, HnswGraph::Nearness::kEuclidean, HnswOptions{}, 1);
  const auto rows = testing::GaussianRows(300, 3, 1);
  for (std::size_t i = 0; i < 300; ++i) {
    graph.Add(std::span(rows).subspan(i * 3, 3));
  }
  for (HnswGraph::Node node = 0; node < 300; node += 2) graph.Kill(node);
  EXPECT_EQ(graph.dead(), 150U);
  for (std::size_t i = 0; i < 300; ++i) {
    const auto near = graph.Near(std::span(rows).subspan(i * 3, 3), 10, 20);
    EXPECT_EQ(near.size(), 10U);
    for (const auto node : near) EXPECT_EQ(node % 2, 1U);
  }
}

}  // namespace
}  // namespace manyarms
