#include "search/hnsw/hnsw.h"

#include <algorithm>
#include <new>
#include <ostream>

#include "recall.h"
#include "search/hnsw/hnsw_graph.h"
#include "search/hnsw/kind.h"
#include "search/searcher.h"
#include "testing.h"

namespace manyarms {

// Without this GoogleTest would print bytes.
void PrintTo(HnswOptions::Metric metric, std::ostream* out) {
  *out << Choices<HnswOptions::Metric>{kMetrics}.Find(metric)->name;
}

namespace {

using testing::Recall;

constexpr std::size_t kDim = 4;
constexpr std::size_t kMostNodes = 300;
constexpr HnswOptions kOptions = {.shortlist = 20, .effort = 20};

Eigen::VectorXd Direction(std::uint64_t index) {
  Eigen::VectorXd direction(kDim);
  RandomStream(7, RandomStream::Role::kTheta, index)
      .Gaussians(std::span(direction.data(), kDim));
  return direction;
}

// A search whose graphs run out of memory beyond kMostNodes, and a scan of the
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

  // Asks queries and returns how many of them were answered by a scan.
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
  const auto second = Add(150);  // memory runs out on the way
  EXPECT_EQ(index_->members().size(), 350U);
  EXPECT_EQ(index_->nodes(), 0U);
  EXPECT_EQ(AskForScans(), 50U);
  const auto third = Add(20);
  EXPECT_EQ(AskForScans(), 50U);
  Remove(first);  // those that had nodes, and others
  Remove(std::span(second).first(10));
  EXPECT_EQ(index_->members().size(), 160U);
  // Graphs are tried again after 1, 2, 4, ... scans, so at the latest after as
  // many scans as there were so far.
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
  Add(20, 100);  // so long that all graphs are built again
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

// Arms of very unequal length, in two clusters: nine in ten lie far out in one
// direction.
std::vector<float> UnequalArms(std::size_t count, std::size_t dim) {
  auto rows = testing::GaussianRows(count, dim, 1);
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 10 == 0) continue;
    for (std::size_t j = 0; j < dim; ++j) rows[i * dim + j] *= 0.3F;
    rows[i * dim] += 30;
  }
  return rows;
}

// Where the query points away from the long arms the answers are short ones,
// which a graph by raw inner product cannot reach however hard it tries. Both
// graphs together must do much better.
TEST(HnswSearch, FindsShortArmsBesideLongOnes) {
  ArmStore store(16);
  const auto slots = store.Add(testing::FirstIds(3000), UnequalArms(3000, 16));
  EXPECT_LT(Recall(store, slots, HnswOptions{.metric = Metric::kInnerProduct}),
            0.8)
      << "this test tests nothing";
  EXPECT_GT(Recall(store, slots, HnswOptions{.metric = Metric::kBoth}), 0.9);
}

// The raw graph reaches only few of these arms, so that it cannot fill a long
// shortlist. It must be asked again, and in the end every arm be scored.
TEST(HnswSearch, TriesHarderWhenTheShortlistStaysShort) {
  constexpr std::size_t kArms = 3000;
  constexpr std::size_t kShortlist = 2900;
  const auto rows = UnequalArms(kArms, 16);
  const HnswOptions options{.shortlist = kShortlist,
                            .metric = Metric::kInnerProduct};
  HnswGraph graph(16, HnswGraph::Nearness::kInnerProduct, options, 1);
  for (std::size_t i = 0; i < kArms; ++i) {
    graph.Add(std::span(rows).subspan(i * 16, 16));
  }
  ASSERT_LT(
      graph.Near(std::span(rows).first(16), kShortlist, kShortlist).size(),
      kShortlist)
      << "this test tests nothing";

  ArmStore store(16);
  const auto slots = store.Add(testing::FirstIds(kArms), rows);
  EXPECT_EQ(Recall(store, slots, options), 1.0);
}

TEST(HnswSearch, IsBuiltAnewWhenAQuarterIsDead) {
  ArmStore store(4);
  const auto slots =
      store.Add(testing::FirstIds(400), testing::GaussianRows(400, 4, 1));
  HnswIndex index(HnswOptions{}, Objective::kInnerProduct, store,
                  Scope::kOwnSet, 1);
  const auto finder = index.MakeFinder();
  index.Add(slots);
  const Eigen::VectorXd q = Eigen::VectorXd::Ones(4);
  index.Remove(std::span(slots).first(99));
  finder->Best({.direction = &q});
  EXPECT_EQ(index.nodes(), 400U);
  index.Remove(std::span(slots).subspan(99, 1));
  finder->Best({.direction = &q});
  EXPECT_EQ(index.nodes(), 300U);
}

}  // namespace
}  // namespace manyarms
