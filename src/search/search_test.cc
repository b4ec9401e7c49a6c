#include <array>
#include <cmath>
#include <ostream>
#include <set>

#include "kernels/arm_set.h"
#include "posterior/posterior.h"
#include "search/hnsw/hnsw.h"
#include "search/hnsw/hnsw_graph.h"
#include "search/kinds.h"
#include "search/lsh/lsh.h"
#include "search/searcher.h"
#include "testing.h"

namespace manyarms {
namespace {

constexpr std::size_t kDim = 6;

// A search, an objective that it serves, and whether it must be exact. (What
// lsh-theory must do instead, SearchLaws::KeepsThePromise says.)
struct Case {
  std::string name;
  SearchOptions search;
  Objective objective;
  bool exact;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.name;
  }
};

// Every sample of every search with every objective that it serves.
std::vector<Case> AllCases() {
  const std::vector<std::pair<std::string, Objective>> objectives = {
      {"Product", Objective::kInnerProduct},
      {"Form", Objective::kQuadraticForm},
      {"Optimism", Objective::kOptimism}};
  std::vector<Case> cases;
  SearchKinds::ForEach([&](auto kind, const auto&) {
    for (const auto& sample : kind.Samples()) {
      if (sample.laws == Laws::kOfPolicies) continue;
      for (const auto& [name, objective] : objectives) {
        if (!kind.Refusal(objective, kDim).empty()) continue;
        cases.push_back({std::string(sample.name) + name, sample.options,
                         objective, sample.exact});
      }
    }
  });
  return cases;
}

std::vector<Case> CasesWithoutTheory() {
  std::vector<Case> cases = AllCases();
  std::erase_if(cases, [](const Case& c) {
    return std::holds_alternative<LshTheoryOptions>(c.search);
  });
  return cases;
}

std::string NameOf(const ::testing::TestParamInfo<Case>& c) {
  return c.param.name;
}

// Arms, a search over some of them, and the obvious way to the answer.
class SearchLaws : public ::testing::TestWithParam<Case> {
 protected:
  SearchLaws()
      : store_(kDim),
        posterior_(kDim, 1.0),
        search_(
            std::make_unique<Searcher>(GetParam().search, Task(), store_, 1)),
        direction_(kDim) {
    NewQuery(0);
  }

  static bool is_theory() {
    return std::holds_alternative<LshTheoryOptions>(GetParam().search);
  }
  // May answer with nothing where all scores are below the sought one.
  static bool may_find_nothing() {
    return is_theory() && GetParam().objective == Objective::kQuadraticForm;
  }
  static SearchTask Task() {
    SearchTask task = GetParam().objective;
    if (may_find_nothing()) {
      task.sought = {.score = kSought, .slack = kSlack};
    }
    return task;
  }

  // Any direction and any factor; but for a search that follows the posterior
  // the factor that it has, and it learns each time.
  void NewQuery(std::uint64_t index) {
    std::vector<double> values(kDim * (kDim + 1));
    RandomStream random(17, RandomStream::Role::kTheta, index);
    random.Gaussians(values);
    std::copy_n(values.begin(), kDim, direction_.begin());
    if (std::holds_alternative<CertifiedOptions>(GetParam().search) ||
        is_theory()) {
      posterior_.Update(testing::GaussianRows(1, kDim, index), 1);
      factor_ = kRadius * posterior_.InverseFactor();
    } else {
      const Eigen::Map<const Eigen::MatrixXd> any(values.data() + kDim, kDim,
                                                  kDim);
      factor_ = any.transpose().triangularView<Eigen::Lower>();
    }
  }

  Query query() const {
    return {.belief = &posterior_,
            .direction = &direction_,
            .factor = &factor_,
            .exploration = kRadius};
  }

  Slot AddArm(ArmId id, std::span<const float> features) {
    const Slot slot = store_.Add(id, features);
    search_->Add(std::span(&slot, 1));
    members_.insert(slot);
    return slot;
  }
  std::vector<Slot> AddGaussianArms(std::size_t count, std::uint64_t seed) {
    const auto rows = testing::GaussianRows(count, kDim, seed);
    std::vector<ArmId> ids(count);
    for (std::size_t i = 0; i < count; ++i) ids[i] = seed * 1'000'000 + i;
    auto slots = store_.Add(ids, rows);
    search_->Add(slots);
    members_.insert(slots.begin(), slots.end());
    return slots;
  }
  void RemoveArm(Slot slot) {
    search_->Remove(slot);
    store_.Remove(store_.id(slot));
    members_.erase(slot);
  }

  double Score(Slot slot) const {
    std::vector<float> features(kDim);
    store_.CopyFeatures(slot, features);
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

  // What the paper promises of an answer. Its queries have length 1, and a
  // rounded query is off by its slack for the longest arm.
  bool KeepsThePromise(const std::optional<Hit>& hit) const {
    double longest = 0;
    for (const Slot slot : members_) {
      std::vector<float> features(kDim);
      store_.CopyFeatures(slot, features);
      longest = std::max<double>(
          longest,
          Eigen::Map<const Eigen::VectorXf>(features.data(), kDim).norm());
    }
    const double best = BestScore();
    if (GetParam().objective == Objective::kQuadraticForm) {
      const double slack = kSlack * std::max(1.0, longest * longest);
      return hit ? Score(hit->slot) >= kSought / 4 - slack
                 : best < kSought + slack;
    }
    if (!hit) return false;
    const double accuracy =
        std::get<LshTheoryOptions>(GetParam().search).accuracy;
    const double step = accuracy / kDim;
    const double slack = step * std::max(1.0, longest);
    const double length = direction_.norm();
    double promised = -std::numeric_limits<double>::infinity();
    for (int rung = 1; rung * step < 1 + step / 2; ++rung) {
      const double i = rung;
      const double ratio = 1 - 1 / (i + 1);
      if (best >= length * (i * step + slack)) {
        promised = length * (ratio * i * step - slack);
      }
    }
    return Score(hit->slot) >= promised - 1e-6;
  }

  // Scores, not slots, are compared: neighbours may differ by less than
  // rounding.
  void ExpectGoodAnswers(int queries) {
    int right = 0;
    for (int i = 0; i < queries; ++i) {
      NewQuery(static_cast<std::uint64_t>(i));
      const std::optional<Hit> hit = search_->Best(query());
      if (is_theory()) right += KeepsThePromise(hit) ? 1 : 0;
      if (!hit && may_find_nothing()) continue;
      ASSERT_TRUE(hit.has_value());
      ASSERT_TRUE(members_.contains(hit->slot)) << "not in the set";
      const double score = Score(hit->slot);
      EXPECT_NEAR(hit->score, score, 1e-4 * (1 + std::abs(score)));
      if (is_theory()) continue;
      right += score >= BestScore() - 1e-4 * (1 + std::abs(score)) ? 1 : 0;
    }
    if (GetParam().exact) {
      EXPECT_EQ(right, queries);
    } else if (is_theory()) {
      // Three copies miss with probability 1e-3, and three solvers are asked at
      // most: one in twenty is far too many.
      EXPECT_GE(right, queries * 19 / 20);
    } else {
      // An approximate search may miss; one that misses every fifth is broken.
      EXPECT_GE(right, queries * 8 / 10);
    }
  }

  static constexpr double kRadius = 1.5;
  static constexpr double kSought = 0.5;
  static constexpr double kSlack = 0.002;

  ArmStore store_;
  Posterior posterior_;
  std::unique_ptr<Searcher> search_;
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

// The top k of all arms or of some, compared with sorting them all.
TEST_P(SearchLaws, TheTopAgreesWithBruteForce) {
  const auto slots = AddGaussianArms(3000, 1);
  for (std::size_t i = 0; i < slots.size(); i += 7) RemoveArm(slots[i]);
  int right = 0;  // of those that may be approximate
  int asked = 0;
  for (std::uint64_t i = 0; i < 120; ++i) {
    NewQuery(i);
    const std::size_t count = std::array<std::size_t, 4>{1, 3, 40, 5000}[i % 4];
    // All of them, or one in a few.
    const std::size_t every =
        std::array<std::size_t, 4>{0, 200, 2, 1}[i / 4 % 4];
    ArmSet among;
    std::vector<Hit> ranked;
    for (const Slot slot : members_) {
      if (every > 0 && slot % every != 0) continue;
      if (every > 0) among.Add(slot);
      ranked.push_back({slot, static_cast<float>(Score(slot))});
    }
    std::ranges::sort(ranked, std::ranges::greater(), &Hit::score);
    const std::vector<Hit> top = search_->Top(
        query(), {.count = count, .among = every > 0 ? &among : nullptr});
    ASSERT_EQ(top.size(), std::min(count, ranked.size()));
    std::set<Slot> distinct;
    const bool exact = GetParam().exact || every > 0 || count > ranked.size();
    for (std::size_t k = 0; k < top.size(); ++k) {
      ASSERT_TRUE(members_.contains(top[k].slot));
      ASSERT_TRUE(every == 0 || among.Contains(top[k].slot));
      distinct.insert(top[k].slot);
      const bool good = std::abs(top[k].score - ranked[k].score) <=
                        1e-4 * (1 + std::abs(ranked[k].score));
      if (exact) {
        ASSERT_TRUE(good);
        continue;
      }
      // As good as the last of the true ones: an arm that is missed shifts all
      // that follow.
      const float last = ranked[top.size() - 1].score;
      right += top[k].score >= last - 1e-4 * (1 + std::abs(last)) ? 1 : 0;
      ++asked;
    }
    EXPECT_EQ(distinct.size(), top.size());
  }
  // Of the 352 arms asked for, the Euclidean graph over forms, whose lengths
  // differ most, found 283, and every other search 341 or more. What a graph
  // misses of one query lies together; 7 in 10 leaves room for nearly all of
  // one more of the eight queries for 40 arms.
  EXPECT_GE(right, asked * 7 / 10);
}

TEST_P(SearchLaws, FindsTheOnlyArm) {
  const Slot slot = AddArm(5, std::vector<float>(kDim, -1.0F));
  NewQuery(1);
  EXPECT_EQ(search_->Best(query())->slot, slot);
}

// For all but lsh-theory, which answers with the first arm that is good enough.
class LawsOfTies : public SearchLaws {};

TEST_P(LawsOfTies, GivesEqualArmsToTheSmallerId) {
  const std::vector<float> row(kDim, 1.0F);
  for (const ArmId id : {9U, 4U, 7U, 3U, 8U}) AddArm(id, row);
  NewQuery(1);
  EXPECT_EQ(store_.id(search_->Best(query())->slot), 3U);
}

TEST_P(SearchLaws, BearsZeroVectors) {
  for (ArmId id = 0; id < 100; ++id) {
    AddArm(id, std::vector<float>(kDim, 0.0F));
  }
  NewQuery(1);
  if (may_find_nothing()) {
    EXPECT_FALSE(search_->Best(query()).has_value());
  } else {
    EXPECT_EQ(search_->Best(query())->score, 0.0F);
  }
  AddGaussianArms(100, 3);
  ExpectGoodAnswers(20);
}

TEST_P(SearchLaws, NeverReturnsARemovedArm) {
  const auto slots = AddGaussianArms(600, 1);
  for (std::size_t round = 0; round < 590; ++round) {
    NewQuery(round);
    const std::optional<Hit> hit = search_->Best(query());
    if (!hit && may_find_nothing()) {
      RemoveArm(*members_.begin());
      continue;
    }
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
  const auto other =
      std::make_unique<Searcher>(GetParam().search, Task(), store_, 1);
  other->Add(std::vector<Slot>(members_.begin(), members_.end()));
  for (std::uint64_t i = 0; i < 50; ++i) {
    NewQuery(i);
    const std::optional<Hit> hit = search_->Best(query());
    const std::optional<Hit> same = other->Best(query());
    ASSERT_EQ(hit.has_value(), same.has_value());
    if (!hit && may_find_nothing()) continue;
    EXPECT_EQ(hit->slot, same->slot);
  }
}

TEST_P(SearchLaws, CountsTheArmsItLooksAt) {
  AddGaussianArms(700, 1);
  NewQuery(0);
  search_->Best(query());
  const std::uint64_t scored = search_->stats().arms_scored;
  const bool bounded =
      std::holds_alternative<CertifiedOptions>(GetParam().search);
  EXPECT_GE(scored, bounded || is_theory() ? 1U : 30U);
  if (GetParam().exact && !bounded) {
    EXPECT_EQ(scored, 700U);
  }
}

INSTANTIATE_TEST_SUITE_P(EverySearch, SearchLaws,
                         ::testing::ValuesIn(AllCases()), NameOf);
INSTANTIATE_TEST_SUITE_P(AllButTheory, LawsOfTies,
                         ::testing::ValuesIn(CasesWithoutTheory()), NameOf);

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

// How often a search finds what a scan finds, after some questions that it may
// need to get under way.
double Recall(const ArmStore& store, std::span<const Slot> slots,
              const SearchOptions& options, std::uint64_t seed = 1) {
  constexpr std::uint64_t kQueries = 400;
  constexpr std::uint64_t kBefore = 2;
  constexpr auto kObjective = Objective::kInnerProduct;
  const auto scan =
      std::make_unique<Searcher>(ScanOptions{}, kObjective, store, 1);
  const auto search =
      std::make_unique<Searcher>(options, kObjective, store, seed);
  scan->Add(slots);
  search->Add(slots);
  int right = 0;
  for (std::uint64_t i = 0; i < kQueries + kBefore; ++i) {
    Eigen::VectorXd q(static_cast<Eigen::Index>(store.dim()));
    RandomStream(2, RandomStream::Role::kTheta, i)
        .Gaussians(std::span(q.data(), store.dim()));
    const Slot expected = scan->Best({.direction = &q})->slot;
    const Slot found = search->Best({.direction = &q})->slot;
    right += i >= kBefore && found == expected ? 1 : 0;
  }
  return right / static_cast<double>(kQueries);
}

// Where the query points away from the long arms the answers are short ones,
// which a graph by raw inner product cannot reach however hard it tries. Both
// graphs together must do much better.
TEST(HnswSearch, FindsShortArmsBesideLongOnes) {
  ArmStore store(16);
  const auto slots = store.Add(testing::FirstIds(3000), UnequalArms(3000, 16));
  using Metric = HnswOptions::Metric;
  EXPECT_LT(Recall(store, slots, HnswOptions{.metric = Metric::kInnerProduct}),
            0.8)
      << "this test tests nothing";
  EXPECT_GT(Recall(store, slots, HnswOptions{.metric = Metric::kBoth}), 0.9);
}

// The raw graph reaches only few of these arms, so that it cannot fill a long
// shortlist.
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

constexpr LshOptions kTrees = {.min_depth = 1};

// Planned for 0.9; a scan would have 1. Queries share a tree, so that no tail
// bound for independent ones applies: 0.8 is the requirement.
TEST(LshSearch, FindsNearlyAlwaysTheBestOfFiveThousandArms) {
  ArmStore store(16);
  const auto slots =
      store.Add(testing::FirstIds(5000), testing::GaussianRows(5000, 16, 1));
  const double recall = Recall(store, slots, kTrees);
  EXPECT_GE(recall, 0.8);
  EXPECT_LT(recall, 1) << "this was a scan";
}

// With this reduction all points and all queries have a half of their first
// coordinate in common, so that a small tree as a whole is good or bad. Ten
// trees are averaged: over twenty, with 40 to 5,000 arms, the shares found were
// 0.85 to 0.92. 0.7 leaves room for two or three bad trees among the ten.
TEST(LshSearch, FindsThemWithThePapersReductionToo) {
  ArmStore store(6);
  const auto slots =
      store.Add(testing::FirstIds(200), testing::GaussianRows(200, 6, 1));
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    sum += Recall(store, slots,
                  LshOptions{.reduction = Reduction::kPaper, .min_depth = 1},
                  seed);
  }
  EXPECT_GE(sum / 10, 0.7);
}

// Arms, trees over them, and directions to ask for.
class ForcedTrees {
 public:
  static constexpr std::size_t kFeatures = 8;

  explicit ForcedTrees(const SearchTask& task = Objective::kInnerProduct)
      : store(kFeatures), search(kTrees, task, store, 1) {}

  std::vector<Slot> Add(std::size_t count, std::uint64_t seed) {
    std::vector<ArmId> ids(count);
    for (std::size_t i = 0; i < count; ++i) ids[i] = seed * 1'000'000 + i;
    auto slots = store.Add(ids, testing::GaussianRows(count, kFeatures, seed));
    search.Add(slots);
    return slots;
  }
  Hit Ask(std::uint64_t index) {
    Eigen::VectorXd q = Direction(index);
    return search.Best({.direction = &q}).value();
  }
  std::size_t bytes() {
    return dynamic_cast<LshIndex&>(search.index()).bytes();
  }
  static Eigen::VectorXd Direction(std::uint64_t index) {
    Eigen::VectorXd q(static_cast<Eigen::Index>(kFeatures));
    RandomStream(4, RandomStream::Role::kTheta, index)
        .Gaussians(std::span(q.data(), kFeatures));
    return q;
  }

  ArmStore store;
  Searcher search;
};

TEST(LshSearch, LooksAtFewerArmsThanAScan) {
  ForcedTrees trees;
  trees.Add(20'000, 1);
  trees.Ask(0);
  const std::uint64_t before = trees.search.stats().arms_scored;
  EXPECT_EQ(before, 20'000U);
  for (std::uint64_t i = 1; i <= 50; ++i) trees.Ask(i);
  const SearchStats stats = trees.search.stats();
  EXPECT_GT(stats.directions, 0U);
  EXPECT_LT(stats.arms_scored - before, 50U * 20'000U / 3);
}

// Of two answers in turn one is removed, so that the other is there to be
// beaten by what trees find.
TEST(LshSearch, NeverBringsBackARemovedArm) {
  ForcedTrees trees;
  trees.Add(1000, 1);
  std::set<Slot> removed;
  for (std::uint64_t i = 0; i < 500; ++i) {
    trees.Ask(100 + i);
    const Slot slot = trees.Ask(i % 7).slot;
    ASSERT_FALSE(removed.contains(slot));
    removed.insert(slot);
    trees.search.Remove(slot);
  }
  EXPECT_EQ(trees.search.size(), 500U);
  EXPECT_LT(trees.search.stats().scans, 250U) << "trees were hardly asked";
}

// With all answers gone there is nothing to beat, and still an arm to find.
TEST(LshSearch, FindsAnArmAfterAllItsAnswersWereRemoved) {
  ForcedTrees trees;
  trees.Add(60, 1);
  for (std::uint64_t i = 0; i < 59; ++i) {
    const Slot slot = trees.Ask(i).slot;
    ASSERT_NE(slot, kNoSlot);
    trees.search.Remove(slot);
    trees.store.Remove(trees.store.id(slot));
  }
  EXPECT_EQ(trees.search.size(), 1U);
}

TEST(LshSearch, IsPlannedAnewWhenItHasFourTimesAsManyArms) {
  ForcedTrees trees;
  trees.Add(300, 1);
  trees.Ask(0);
  EXPECT_GT(trees.bytes(), 0U);
  trees.Add(900, 2);
  EXPECT_GT(trees.bytes(), 0U);
  trees.Add(1, 3);
  EXPECT_EQ(trees.bytes(), 0U);
  const std::uint64_t scans = trees.search.stats().scans;
  trees.Ask(2);
  EXPECT_GT(trees.bytes(), 0U);
  EXPECT_EQ(trees.search.stats().scans, scans + 1);
}

// In a range of lengths that has no trees yet.
TEST(LshSearch, FindsAMuchLongerArmThatArrivesLate) {
  ForcedTrees trees;
  trees.Add(500, 1);
  trees.Ask(0);
  int found = 0;
  for (std::uint64_t i = 1; i <= 16; ++i) {
    const Eigen::VectorXd q = ForcedTrees::Direction(i);
    std::vector<float> arm(ForcedTrees::kFeatures);
    for (std::size_t j = 0; j < arm.size(); ++j) {
      arm[j] = static_cast<float>(std::exp2(static_cast<double>(i)) *
                                  q[static_cast<Eigen::Index>(j)]);
    }
    const Slot slot = trees.store.Add(i, arm);
    trees.search.Add(std::span(&slot, 1));
    found += trees.Ask(i).slot == slot ? 1 : 0;
    trees.search.Remove(slot);
  }
  EXPECT_LT(trees.search.stats().scans, 8U);
  // Sixteen trees that find it with 0.9 at least: fewer than ten have
  // probability 6e-4, fewer than nine 7e-5.
  EXPECT_GE(found, 9);
}

// Below the sought score nothing need be found: the higher it is, the less is
// looked at, and beyond all reach nothing but the last answers.
TEST(LshSearch, LooksOnlyForWhatReachesTheSoughtScore) {
  const Eigen::MatrixXd factor =
      Eigen::MatrixXd::Identity(ForcedTrees::kFeatures, ForcedTrees::kFeatures);
  const Query query{.factor = &factor, .exploration = 1};
  const auto looked_at = [&](double sought) {
    SearchTask task = Objective::kQuadraticForm;
    task.sought = Sought{.score = sought};
    ForcedTrees trees(task);
    trees.Add(1000, 1);
    trees.search.Best(query);
    const std::uint64_t before = trees.search.stats().arms_scored;
    EXPECT_TRUE(trees.search.Best(query).has_value());
    return trees.search.stats().arms_scored - before;
  };
  EXPECT_GT(looked_at(0), 1U);
  EXPECT_EQ(looked_at(1e6), 1U);
}

TEST(LshSearch, FindsFormsThatReachTheSoughtScore) {
  SearchTask task = Objective::kQuadraticForm;
  constexpr double kSoughtScore = 12;
  task.sought = Sought{.score = kSoughtScore};
  ForcedTrees trees(task);
  const auto slots = trees.Add(2000, 1);
  std::set<Slot> members(slots.begin(), slots.end());
  int there = 0;
  int found = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Eigen::MatrixXd factor =
        Eigen::MatrixXd::Identity(8, 8) * (0.3 + 0.7 * std::abs(std::sin(i)));
    const Hit hit =
        trees.search.Best({.factor = &factor, .exploration = 1}).value();
    ASSERT_TRUE(members.contains(hit.slot));
    double best = 0;
    for (const Slot slot : members) {
      std::vector<float> x(8);
      trees.store.CopyFeatures(slot, x);
      const Eigen::VectorXd v =
          Eigen::Map<const Eigen::VectorXf>(x.data(), 8).cast<double>();
      best = std::max(best, (factor * v).squaredNorm());
    }
    there += best >= kSoughtScore * 1.0001 ? 1 : 0;
    found += hit.score >= kSoughtScore ? 1 : 0;
    if (best < kSoughtScore * 0.9999) {
      EXPECT_LT(hit.score, kSoughtScore);
    }
    trees.search.Remove(hit.slot);
    members.erase(hit.slot);
  }
  EXPECT_GT(there, 50);
  EXPECT_GE(found, there * 8 / 10);
}

// A tree that does not fit is no reason to lose an arm.
TEST(LshSearch, TakesArmsWhoseTreesDoNotFit) {
  ArmStore store(200);
  Searcher search(LshOptions{.min_depth = 1, .max_bytes = 1e6},
                  Objective::kInnerProduct, store, 1);
  const auto slots =
      store.Add(testing::FirstIds(300), testing::GaussianRows(300, 200, 1));
  search.Add(slots);
  const Eigen::VectorXd q = Eigen::VectorXd::Ones(200);
  EXPECT_TRUE(search.Best({.direction = &q}).has_value());
  const Slot longer = store.Add(999, std::vector<float>(200, 100.0F));
  search.Add(std::span(&longer, 1));
  EXPECT_EQ(search.Best({.direction = &q})->slot, longer);
  search.Remove(longer);
  EXPECT_NE(search.Best({.direction = &q})->slot, longer);
}

TEST(MakeIndex, RefusesFilterTreesThatCannotWork) {
  using testing::ExpectError;
  const ArmStore store(kDim);
  const ArmStore wide(257);
  const auto expect = [](ErrorCode code, const std::vector<std::string>& parts,
                         const SearchOptions& options, Objective objective,
                         const ArmStore& arms) {
    ExpectError(code, parts, [&] {
      std::make_unique<Searcher>(options, objective, arms, 1);
    });
  };
  constexpr auto kBad = ErrorCode::kInvalidArgument;
  constexpr auto kProduct = Objective::kInnerProduct;
  const auto bad = [&](const std::vector<std::string>& parts,
                       const SearchOptions& options) {
    expect(kBad, parts, options, kProduct, store);
  };
  bad({"success is 0", "0.01"}, LshOptions{.success = 0});
  bad({"success is 1", "0.9999"}, LshOptions{.success = 1});
  bad({"min depth is 4", "3"}, LshOptions{.min_depth = 4});
  bad({"tree bytes is 5", "1e+06"}, LshOptions{.max_bytes = 5});
  bad({"ladder is 0", "0.0006"}, LshTheoryOptions{.accuracy = 0});
  bad({"ladder is 2", "1"}, LshTheoryOptions{.accuracy = 2});
  bad({"delta is 0", "1e-100"}, LshTheoryOptions{.delta = 0});
  bad({"copies is 1000001", "1000000"}, LshTheoryOptions{.copies = 1'000'001});
  bad({"min depth is 9", "3"}, LshTheoryOptions{.min_depth = 9});
  bad({"threads is 0", "1024"}, LshTheoryOptions{.threads = 0});
  for (const SearchOptions& options :
       {SearchOptions{LshOptions{}}, SearchOptions{LshTheoryOptions{}}}) {
    const std::string name(SearchName(options));
    expect(ErrorCode::kUnsupported, {"ucb", name, "certified"}, options,
           Objective::kOptimism, store);
    expect(ErrorCode::kUnsupported, {name, "257", "256"}, options,
           Objective::kQuadraticForm, wide);
  }
}

TEST(MakeIndex, RefusesWhatCannotWork) {
  using testing::ExpectError;
  const ArmStore store(kDim);
  const auto make = [&](HnswOptions options, Objective objective,
                        const ArmStore& arms) {
    return
        [=, &arms] { std::make_unique<Searcher>(options, objective, arms, 1); };
  };
  ExpectError(ErrorCode::kUnsupported, {"ucb", "hnsw", "certified"},
              make({}, Objective::kOptimism, store));
  ExpectError(ErrorCode::kInvalidArgument, {"shortlist is 0"},
              make({.shortlist = 0}, Objective::kInnerProduct, store));
  ExpectError(ErrorCode::kInvalidArgument, {"links is 1,", "1024"},
              make({.links = 1}, Objective::kInnerProduct, store));
  ExpectError(ErrorCode::kInvalidArgument, {"build effort is 0"},
              make({.build_effort = 0}, Objective::kInnerProduct, store));
  const ArmStore wide(257);
  ExpectError(ErrorCode::kUnsupported, {"257", "256"},
              make({}, Objective::kQuadraticForm, wide));
}

}  // namespace
}  // namespace manyarms
