#include "manyarms/search.h"

#include <cmath>
#include <set>

#include "search/hnsw.h"
#include "search/hnsw_graph.h"
#include "testing.h"

namespace manyarms {
namespace {

constexpr std::size_t kDim = 6;

// A search, an objective that it serves, and whether it must be exact.
struct Case {
  const char* name;
  SearchOptions search;
  Objective objective;
  bool exact;
};

std::vector<Case> AllCases() {
  using Metric = HnswOptions::Metric;
  const HnswOptions both{.metric = Metric::kBoth};
  const HnswOptions euclidean{.metric = Metric::kEuclidean};
  const HnswOptions raw{.metric = Metric::kInnerProduct};
  const HnswOptions full{.shortlist = 1000000};
  constexpr Objective kProduct = Objective::kInnerProduct;
  constexpr Objective kForm = Objective::kQuadraticForm;
  const CertifiedOptions aside{.check_every = 1};
  const CertifiedOptions foreground{.background = false, .check_every = 1};
  return {
      {"CertifiedProduct", aside, kProduct, true},
      {"CertifiedForm", aside, kForm, true},
      {"CertifiedOptimism", aside, Objective::kOptimism, true},
      {"CertifiedForegroundProduct", foreground, kProduct, true},
      {"CertifiedForegroundForm", foreground, kForm, true},
      {"CertifiedForegroundOptimism", foreground, Objective::kOptimism, true},
      {"ScanProduct", ScanOptions{}, kProduct, true},
      {"ScanForm", ScanOptions{}, kForm, true},
      {"ScanOptimism", ScanOptions{}, Objective::kOptimism, true},
      {"HnswBothProduct", both, kProduct, false},
      {"HnswBothForm", both, kForm, false},
      {"HnswEuclideanProduct", euclidean, kProduct, false},
      {"HnswEuclideanForm", euclidean, kForm, false},
      {"HnswRawProduct", raw, kProduct, false},
      {"HnswRawForm", raw, kForm, false},
      {"HnswFullShortlistProduct", full, kProduct, true},
      {"HnswFullShortlistForm", full, kForm, true}};
}

// Arms, a search over some of them, and the obvious way to the answer.
class SearchLaws : public ::testing::TestWithParam<Case> {
 protected:
  SearchLaws()
      : catalogue_(kDim),
        posterior_(kDim, 1.0),
        search_(MakeSearch(GetParam().search, GetParam().objective, catalogue_,
                           posterior_, 1)),
        direction_(kDim) {
    NewQuery(0);
  }

  // Any direction and any factor; but for a search that follows the posterior
  // the factor that it has, and it learns each time.
  void NewQuery(std::uint64_t index) {
    std::vector<double> values(kDim * (kDim + 1));
    RandomStream random(17, RandomStream::Role::kTheta, index);
    random.Gaussians(values);
    std::copy_n(values.begin(), kDim, direction_.begin());
    if (std::holds_alternative<CertifiedOptions>(GetParam().search)) {
      posterior_.Update(testing::GaussianRows(1, kDim, index), 1);
      factor_ = kRadius * posterior_.InverseFactor();
    } else {
      const Eigen::Map<const Eigen::MatrixXd> any(values.data() + kDim, kDim,
                                                  kDim);
      factor_ = any.transpose().triangularView<Eigen::Lower>();
    }
  }

  Query query() const {
    return {.direction = &direction_, .factor = &factor_, .radius = kRadius};
  }

  Slot AddArm(ArmId id, std::span<const float> features) {
    const Slot slot = catalogue_.Add(id, features);
    search_->Add(std::span(&slot, 1));
    members_.insert(slot);
    return slot;
  }
  std::vector<Slot> AddGaussianArms(std::size_t count, std::uint64_t seed) {
    const auto rows = testing::GaussianRows(count, kDim, seed);
    std::vector<ArmId> ids(count);
    for (std::size_t i = 0; i < count; ++i) ids[i] = seed * 1'000'000 + i;
    auto slots = catalogue_.Add(ids, rows);
    search_->Add(slots);
    members_.insert(slots.begin(), slots.end());
    return slots;
  }
  void RemoveArm(Slot slot) {
    search_->Remove(slot);
    catalogue_.Remove(catalogue_.id(slot));
    members_.erase(slot);
  }

  double Score(Slot slot) const {
    std::vector<float> features(kDim);
    catalogue_.CopyFeatures(slot, features);
    const Eigen::VectorXd x =
        Eigen::Map<const Eigen::VectorXf>(features.data(), kDim).cast<double>();
    switch (GetParam().objective) {
      case Objective::kInnerProduct:
        return direction_.dot(x);
      case Objective::kQuadraticForm:
        return (factor_ * x).squaredNorm();
      case Objective::kOptimism:
        return direction_.dot(x) + (factor_ * x).norm();
    }
    return 0;
  }
  double BestScore() const {
    double best = -std::numeric_limits<double>::infinity();
    for (const Slot slot : members_) best = std::max(best, Score(slot));
    return best;
  }

  // Scores, not slots, are compared: neighbours may differ by less than
  // rounding.
  void ExpectGoodAnswers(int queries) {
    int right = 0;
    for (int i = 0; i < queries; ++i) {
      NewQuery(static_cast<std::uint64_t>(i));
      const std::optional<Hit> hit = search_->Best(query());
      ASSERT_TRUE(hit.has_value());
      ASSERT_TRUE(members_.contains(hit->slot)) << "not in the set";
      const double score = Score(hit->slot);
      EXPECT_NEAR(hit->score, score, 1e-4 * (1 + std::abs(score)));
      right += score >= BestScore() - 1e-4 * (1 + std::abs(score)) ? 1 : 0;
    }
    if (GetParam().exact) {
      EXPECT_EQ(right, queries);
    } else {
      // An approximate search may miss; one that misses every fifth is broken.
      EXPECT_GE(right, queries * 8 / 10);
    }
  }

  static constexpr double kRadius = 1.5;

  Catalogue catalogue_;
  Posterior posterior_;
  std::unique_ptr<Search> search_;
  std::set<Slot> members_;
  Eigen::VectorXd direction_;
  Eigen::MatrixXd factor_;
};

TEST_P(SearchLaws, FindsNothingInAnEmptySet) {
  NewQuery(0);
  EXPECT_FALSE(search_->Best(query()).has_value());
  EXPECT_EQ(search_->size(), 0U);
}

TEST_P(SearchLaws, AgreesWithBruteForce) {
  AddGaussianArms(1500, 1);
  ExpectGoodAnswers(100);
}

TEST_P(SearchLaws, FindsTheOnlyArm) {
  const Slot slot = AddArm(5, std::vector<float>(kDim, -1.0F));
  NewQuery(1);
  EXPECT_EQ(search_->Best(query())->slot, slot);
}

TEST_P(SearchLaws, GivesEqualArmsToTheSmallerId) {
  const std::vector<float> row(kDim, 1.0F);
  for (const ArmId id : {9U, 4U, 7U, 3U, 8U}) AddArm(id, row);
  NewQuery(1);
  EXPECT_EQ(catalogue_.id(search_->Best(query())->slot), 3U);
}

TEST_P(SearchLaws, BearsZeroVectors) {
  for (ArmId id = 0; id < 100; ++id) {
    AddArm(id, std::vector<float>(kDim, 0.0F));
  }
  NewQuery(1);
  EXPECT_EQ(search_->Best(query())->score, 0.0F);
  AddGaussianArms(100, 3);
  ExpectGoodAnswers(20);
}

TEST_P(SearchLaws, NeverReturnsARemovedArm) {
  const auto slots = AddGaussianArms(600, 1);
  for (std::size_t round = 0; round < 590; ++round) {
    NewQuery(round);
    const std::optional<Hit> hit = search_->Best(query());
    ASSERT_TRUE(members_.contains(hit->slot));
    RemoveArm(hit->slot);
  }
  EXPECT_EQ(search_->size(), 10U);
  ExpectGoodAnswers(20);
}

TEST_P(SearchLaws, StaysGoodUnderChurn) {
  AddGaussianArms(500, 1);
  for (std::uint64_t round = 2; round < 30; ++round) {
    for (int i = 0; i < 50; ++i) RemoveArm(*members_.begin());
    AddGaussianArms(50, round);
  }
  ExpectGoodAnswers(50);
}

TEST_P(SearchLaws, TakesInArmsMuchLongerThanAllBefore) {
  AddGaussianArms(300, 1);
  NewQuery(0);
  search_->Best(query());
  std::vector<float> longer(kDim);
  for (std::size_t j = 0; j < kDim; ++j) {
    longer[j] =
        1000 * static_cast<float>(direction_[static_cast<Eigen::Index>(j)]);
  }
  const Slot slot = AddArm(1, longer);
  EXPECT_EQ(search_->Best(query())->slot, slot);
}

TEST_P(SearchLaws, IsEmptyAfterClearAndFillsAgain) {
  const auto slots = AddGaussianArms(100, 1);
  search_->Clear();
  members_.clear();
  EXPECT_EQ(search_->size(), 0U);
  EXPECT_FALSE(search_->Best(query()).has_value());
  search_->Add(std::span(slots).first(40));
  members_.insert(slots.begin(), slots.begin() + 40);
  EXPECT_EQ(search_->size(), 40U);
  ExpectGoodAnswers(20);
}

TEST_P(SearchLaws, GivesTheSameAnswersFromTheSameSeed) {
  AddGaussianArms(800, 1);
  const auto other = MakeSearch(GetParam().search, GetParam().objective,
                                catalogue_, posterior_, 1);
  other->Add(std::vector<Slot>(members_.begin(), members_.end()));
  for (std::uint64_t i = 0; i < 50; ++i) {
    NewQuery(i);
    EXPECT_EQ(search_->Best(query())->slot, other->Best(query())->slot);
  }
}

TEST_P(SearchLaws, CountsTheArmsItLooksAt) {
  AddGaussianArms(700, 1);
  NewQuery(0);
  search_->Best(query());
  const std::uint64_t scored = search_->stats().arms_scored;
  const bool bounded =
      std::holds_alternative<CertifiedOptions>(GetParam().search);
  EXPECT_GE(scored, bounded ? 1U : 30U);
  if (GetParam().exact && !bounded) {
    EXPECT_EQ(scored, 700U);
  }
}

INSTANTIATE_TEST_SUITE_P(EverySearch, SearchLaws,
                         ::testing::ValuesIn(AllCases()),
                         [](const auto& c) { return c.param.name; });

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

// How often a search finds what a scan finds.
double Recall(const Catalogue& catalogue, std::span<const Slot> slots,
              const HnswOptions& options) {
  constexpr int kQueries = 400;
  constexpr auto kObjective = Objective::kInnerProduct;
  const Posterior posterior(catalogue.dim(), 1.0);
  const auto scan =
      MakeSearch(ScanOptions{}, kObjective, catalogue, posterior, 1);
  const auto hnsw = MakeSearch(options, kObjective, catalogue, posterior, 1);
  scan->Add(slots);
  hnsw->Add(slots);
  int right = 0;
  for (std::uint64_t i = 0; i < kQueries; ++i) {
    Eigen::VectorXd q(static_cast<Eigen::Index>(catalogue.dim()));
    RandomStream(2, RandomStream::Role::kTheta, i)
        .Gaussians(std::span(q.data(), catalogue.dim()));
    right += scan->Best({.direction = &q})->slot ==
                     hnsw->Best({.direction = &q})->slot
                 ? 1
                 : 0;
  }
  return right / static_cast<double>(kQueries);
}

// Where the query points away from the long arms the answers are short ones,
// which a graph by raw inner product cannot reach however hard it tries. Both
// graphs together must do much better.
TEST(HnswSearch, FindsShortArmsBesideLongOnes) {
  Catalogue catalogue(16);
  const auto slots =
      catalogue.Add(testing::FirstIds(3000), UnequalArms(3000, 16));
  using Metric = HnswOptions::Metric;
  EXPECT_LT(Recall(catalogue, slots, {.metric = Metric::kInnerProduct}), 0.8)
      << "this test tests nothing";
  EXPECT_GT(Recall(catalogue, slots, {.metric = Metric::kBoth}), 0.9);
}

// Of these arms the raw graph reaches so few that a long shortlist stays short.
// It must be asked again, and in the end every arm be scored.
TEST(HnswSearch, TriesHarderWhenTheShortlistStaysShort) {
  constexpr std::size_t kArms = 3000;
  constexpr std::size_t kShortlist = 2900;
  const auto rows = UnequalArms(kArms, 16);
  const HnswOptions options{.shortlist = kShortlist,
                            .metric = HnswOptions::Metric::kInnerProduct};
  HnswGraph graph(16, HnswGraph::Nearness::kInnerProduct, options, 1);
  for (std::size_t i = 0; i < kArms; ++i) {
    graph.Add(std::span(rows).subspan(i * 16, 16));
  }
  ASSERT_LT(
      graph.Near(std::span(rows).first(16), kShortlist, kShortlist).size(),
      kShortlist)
      << "this test tests nothing";

  Catalogue catalogue(16);
  const auto slots = catalogue.Add(testing::FirstIds(kArms), rows);
  EXPECT_EQ(Recall(catalogue, slots, options), 1.0);
}

TEST(HnswSearch, IsBuiltAnewWhenAQuarterIsDead) {
  Catalogue catalogue(4);
  const auto slots =
      catalogue.Add(testing::FirstIds(400), testing::GaussianRows(400, 4, 1));
  HnswSearch search(HnswOptions{}, Objective::kInnerProduct, catalogue, 1);
  search.Add(slots);
  const Eigen::VectorXd q = Eigen::VectorXd::Ones(4);
  for (std::size_t i = 0; i < 99; ++i) search.Remove(slots[i]);
  search.Best({.direction = &q});
  EXPECT_EQ(search.nodes(), 400U);
  search.Remove(slots[99]);
  search.Best({.direction = &q});
  EXPECT_EQ(search.nodes(), 300U);
}

TEST(MakeSearch, RefusesWhatCannotWork) {
  using testing::ExpectError;
  const Catalogue catalogue(kDim);
  const auto make = [&](HnswOptions options, Objective objective,
                        const Catalogue& arms) {
    return [=, &arms] {
      MakeSearch(options, objective, arms, Posterior(arms.dim(), 1.0), 1);
    };
  };
  ExpectError(ErrorCode::kUnsupported, {"ucb", "hnsw", "certified"},
              make({}, Objective::kOptimism, catalogue));
  ExpectError(ErrorCode::kInvalidArgument, {"shortlist is 0"},
              make({.shortlist = 0}, Objective::kInnerProduct, catalogue));
  ExpectError(ErrorCode::kInvalidArgument, {"links is 1,", "1024"},
              make({.links = 1}, Objective::kInnerProduct, catalogue));
  ExpectError(ErrorCode::kInvalidArgument, {"build effort is 0"},
              make({.build_effort = 0}, Objective::kInnerProduct, catalogue));
  const Catalogue wide(257);
  ExpectError(ErrorCode::kUnsupported, {"257", "256"},
              make({}, Objective::kQuadraticForm, wide));
}

}  // namespace
}  // namespace manyarms
