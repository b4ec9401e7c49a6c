#include "search/hnsw/hnsw.h"

#include <algorithm>
#include <new>
#include <ostream>

#include "search/hnsw/kind.h"
#include "search/searcher.h"
#include "testing.h"

namespace manyarms {

// For GoogleTest, which would print bytes.
void PrintTo(HnswOptions::Metric metric, std::ostream* out) {
  *out << Choices<HnswOptions::Metric>{kMetrics}.Find(metric)->name;
}

namespace {

constexpr std::size_t kDim = 4;
constexpr std::size_t kMostNodes = 300;
constexpr HnswOptions kOptions = {.shortlist = 20, .effort = 20};

Eigen::VectorXd Direction(std::uint64_t index) {
  Eigen::VectorXd direction(kDim);
  RandomStream(7, RandomStream::Role::kTheta, index)
      .Gaussians(std::span(direction.data(), kDim));
  return direction;
}

// A search whose graphs find no memory beyond some nodes, beside a scan of the
// same arms.
class LittleMemory : public ::testing::TestWithParam<HnswOptions::Metric> {
 protected:
  LittleMemory() {
    options_.metric = GetParam();
    index_.emplace(options_, Objective::kInnerProduct, store_, Scope::kOwnSet,
                   1, kMostNodes);
    finder_ = index_->MakeFinder();
  }

  // The arms are added, whether or not there are graphs for them.
  std::vector<Slot> Add(std::size_t count, float longer = 1) {
    std::vector<ArmId> ids(count);
    for (ArmId& id : ids) id = next_id_++;
    std::vector<float> rows = testing::GaussianRows(count, kDim, next_id_);
    for (float& value : rows) value *= longer;
    const std::vector<Slot> slots = store_.Add(ids, rows);
    index_->Add(slots);
    scan_.Add(slots);
    return slots;
  }

  void Remove(std::span<const Slot> slots) {
    for (const Slot slot : slots) {
      index_->Remove(std::span(&slot, 1));
      scan_.Remove(slot);
      store_.Remove(store_.id(slot));
    }
  }

  // How many of 50 answers a scan found.
  std::uint64_t AskForScans(std::uint64_t questions = 50) {
    const std::uint64_t before = finder_->stats().scans;
    for (std::uint64_t i = 0; i < questions; ++i) {
      const Eigen::VectorXd direction = Direction(i);
      const std::uint64_t scans = finder_->stats().scans;
      const std::uint64_t scored = finder_->stats().arms_scored;
      const auto hit = finder_->Best({.direction = &direction});
      const auto expected = scan_.Best({.direction = &direction});
      EXPECT_TRUE(hit.has_value());
      if (finder_->stats().scans > scans) {
        EXPECT_EQ(hit->slot, expected->slot);
        EXPECT_EQ(finder_->stats().arms_scored,
                  scored + index_->members().size());
      }
      EXPECT_LE(hit->score, expected->score);
    }
    return finder_->stats().scans - before;
  }

  ArmStore store_{kDim};
  HnswOptions options_ = kOptions;
  std::optional<HnswIndex> index_;
  std::unique_ptr<Finder> finder_;
  Searcher scan_{ScanOptions{}, Objective::kInnerProduct, store_, 1};
  ArmId next_id_ = 0;
};

TEST_P(LittleMemory, IsEnoughForFewArms) {
  Add(kMostNodes);
  EXPECT_EQ(index_->nodes(), kMostNodes);
  EXPECT_EQ(AskForScans(), 0U);
}

TEST_P(LittleMemory, MeansScansUntilGraphsCanBeBuilt) {
  const auto first = Add(200);
  const auto second = Add(150);  // fails on the way
  EXPECT_EQ(index_->members().size(), 350U);
  EXPECT_EQ(index_->nodes(), 0U);
  EXPECT_EQ(AskForScans(), 50U);
  const auto third = Add(20);
  EXPECT_EQ(AskForScans(), 50U);
  Remove(first);  // those that had nodes, and others
  Remove(std::span(second).first(10));
  EXPECT_EQ(index_->members().size(), 160U);
  // Tried again after 1, 2, 4, ... scans: at the latest after as many more as
  // there were.
  EXPECT_LE(AskForScans(200), 100U);
  EXPECT_EQ(index_->nodes(), 160U);
  EXPECT_EQ(AskForScans(), 0U);
  Remove(third);
  Add(10);
  EXPECT_EQ(AskForScans(), 0U);
}

TEST_P(LittleMemory, IsTriedAtTheNextQuestionFirst) {
  const auto first = Add(200);
  Add(99);
  Add(2);
  EXPECT_EQ(index_->nodes(), 0U);
  Remove(std::span(first).first(1));
  EXPECT_EQ(AskForScans(), 0U);
  EXPECT_EQ(index_->nodes(), kMostNodes);
}

TEST_P(LittleMemory, MayFailWhenGraphsAreBuiltAnew) {
  Add(290);
  Add(20, 100);  // so long that all graphs are built anew
  EXPECT_EQ(index_->members().size(), 310U);
  EXPECT_EQ(AskForScans(), 50U);
}

TEST_P(LittleMemory, IsForgottenWithTheArms) {
  const auto first = Add(kMostNodes + 1);
  EXPECT_EQ(AskForScans(), 50U);
  Remove(first);
  EXPECT_EQ(index_->members().size(), 0U);
  Add(100);
  EXPECT_EQ(AskForScans(), 0U);
  index_->Clear();
  EXPECT_EQ(index_->members().size(), 0U);
}

using Metric = HnswOptions::Metric;

INSTANTIATE_TEST_SUITE_P(Hnsw, LittleMemory,
                         ::testing::Values(Metric::kInnerProduct,
                                           Metric::kEuclidean, Metric::kBoth),
                         [](const auto& param) {
                           return param.param == Metric::kInnerProduct
                                      ? "InnerProduct"
                                  : param.param == Metric::kEuclidean
                                      ? "Euclidean"
                                      : "Both";
                         });

TEST(HnswGraph, SaysWhenThereIsNoMemory) {
  HnswGraph graph(2, HnswGraph::Nearness::kEuclidean, HnswOptions{}, 1, 3);
  const std::vector<float> vector = {1, 2};
  for (int i = 0; i < 3; ++i) graph.Add(vector);
  EXPECT_THROW(graph.Add(vector), std::bad_alloc);
}

}  // namespace
}  // namespace manyarms
