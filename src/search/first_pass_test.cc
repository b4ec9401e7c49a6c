#include "search/first_pass.h"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <optional>

#include "manyarms/random.h"
#include "posterior/posterior.h"
#include "search/top_by_scan.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::GaussianRows;

// How the arms of a case are drawn.
enum class Kind { kNormal, kAnyLength, kUnitLength, kTiny, kFew, kSame, kZero };

struct Case {
  const char* name;
  Objective objective;
  Kind kind;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

// A store with a compact copy, changed at random, and questions to a first pass
// that are compared with scans.
class Drive {
 public:
  Drive(const Case& given, std::size_t dim)
      : case_(given),
        dim_(dim),
        store_(dim),
        posterior_(dim, 1),
        random_(7, RandomStream::Role::kChurn, dim),
        scorer_(given.objective),
        // Never given up, so that every question is answered by the pass.
        pass_(
            given.objective,
            {.least_scan_bytes = 0, .most_of_scan = 1e9, .least_eligible = 0}) {
    store_.KeepCompactCopy();
  }

  void Step() {
    switch (random_.Below(8)) {
      case 0:
      case 1:
        Add();
        break;
      case 2:
        if (store_.size() > 300) store_.Remove(AnyArm());
        break;
      case 3:
        if (store_.size() > 0) Update();
        break;
      default:
        if (store_.size() > 0) Ask();
    }
  }

 private:
  std::vector<float> Row() {
    std::vector<float> row(dim_);
    RandomStream draws(8, RandomStream::Role::kArm, ++drawn_);
    draws.Gaussians(row);
    double factor = 1;
    switch (case_.kind) {
      case Kind::kNormal:
        break;
      case Kind::kAnyLength:
        factor = std::pow(10.0, -40 + 45 * draws.Uniform());
        break;
      case Kind::kUnitLength: {
        double square = 0;
        for (const float x : row) square += double{x} * x;
        factor = 1 / std::sqrt(square);
        break;
      }
      case Kind::kTiny:
        factor = std::pow(10.0, -24 + 3 * draws.Uniform());
        break;
      case Kind::kFew:  // many arms are equal
        for (float& x : row) x = std::round(x);
        break;
      case Kind::kSame:
        std::ranges::fill(row, 0.7F);
        break;
      case Kind::kZero:
        factor = draws.Below(2) == 0 ? 0 : 1;
        break;
    }
    for (float& x : row) x = static_cast<float>(x * factor);
    return row;
  }

  ArmId AnyArm() {
    std::optional<ArmId> found;
    while (!found) {
      const ArmId id = random_.Below(next_);
      if (store_.Find(id)) found = id;
    }
    return *found;
  }

  void Add() { store_.Add(next_++, Row()); }

  void Update() {
    const Slot slot = store_.At(AnyArm());
    store_.Replace(std::span(&slot, 1), Row());
  }

  void Ask() {
    if (random_.Below(20) == 0) {
      std::vector<float> row(dim_);
      store_.CopyFeatures(store_.At(AnyArm()), row);
      posterior_.Update(row, random_.Uniform() - 0.5);
    }
    Eigen::VectorXd theta(static_cast<Eigen::Index>(dim_));
    std::vector<double> draw(dim_);
    RandomStream(9, RandomStream::Role::kSample, ++asked_).Gaussians(draw);
    const double size = std::pow(10.0, -10 + 12 * random_.Uniform());
    for (std::size_t j = 0; j < dim_; ++j) {
      theta[static_cast<Eigen::Index>(j)] = size * draw[j];
    }
    if (random_.Below(50) == 0) theta.setZero();
    const double exploration = std::pow(10.0, -3 + 4 * random_.Uniform());
    const RowMatrix factor = posterior_.InverseFactor();
    const Query query{.belief = &posterior_,
                      .direction = &theta,
                      .factor = &factor,
                      .exploration = exploration};
    scorer_.Take(query);
    ArmSet some;
    const bool masked = random_.Below(3) == 0;
    if (masked) {
      for (const Slot slot : store_.Slots()) {
        if (random_.Below(4) == 0) some.Add(slot);
      }
    }
    const ArmSet* eligible = masked && some.size() > 0 ? &some : nullptr;
    const std::size_t count = random_.Below(2) == 0 ? 1 : 1 + random_.Below(20);
    const std::vector<Hit> expected =
        TopByScan(scorer_, store_, store_.members().arms(),
                  {.count = count, .among = eligible})
            .hits;
    kernels::TopHits top(count);
    SearchCost cost;
    ASSERT_TRUE(pass_.Find({.store = store_,
                            .arms = store_.members().arms(),
                            .all_arms = true,
                            .eligible = eligible},
                           scorer_, query, top, cost));
    const std::vector<Hit> found = top.Sorted();
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i].slot, expected[i].slot) << "question " << asked_;
      ASSERT_EQ(found[i].score, expected[i].score) << "question " << asked_;
    }
  }

  const Case case_;
  const std::size_t dim_;
  ArmStore store_;
  Posterior posterior_;
  RandomStream random_;
  Scorer scorer_;
  FirstPass pass_;
  ArmId next_ = 0;
  std::uint64_t drawn_ = 0;
  std::uint64_t asked_ = 0;
};

class FirstPasses : public ::testing::TestWithParam<Case> {};

// Over all cases and dimensions these are more than a million operations.
TEST_P(FirstPasses, FindWhatScansFindWhateverComesAndGoes) {
#ifdef __SANITIZE_ADDRESS__
  constexpr int kSteps = 1000;
#else
  constexpr int kSteps = 17000;
#endif
  for (const std::size_t dim : {1U, 5U, 16U, 40U}) {
    Drive drive(GetParam(), dim);
    for (int step = 0; step < kSteps; ++step) {
      drive.Step();
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, FirstPasses,
    ::testing::Values(
        Case{"Products", Objective::kInnerProduct, Kind::kNormal},
        Case{"ProductsAnyLength", Objective::kInnerProduct, Kind::kAnyLength},
        Case{"ProductsUnitLength", Objective::kInnerProduct, Kind::kUnitLength},
        Case{"ProductsTiny", Objective::kInnerProduct, Kind::kTiny},
        Case{"ProductsFew", Objective::kInnerProduct, Kind::kFew},
        Case{"ProductsSame", Objective::kInnerProduct, Kind::kSame},
        Case{"ProductsZero", Objective::kInnerProduct, Kind::kZero},
        Case{"Optimism", Objective::kOptimism, Kind::kNormal},
        Case{"OptimismAnyLength", Objective::kOptimism, Kind::kAnyLength},
        Case{"OptimismUnitLength", Objective::kOptimism, Kind::kUnitLength},
        Case{"OptimismTiny", Objective::kOptimism, Kind::kTiny},
        Case{"OptimismFew", Objective::kOptimism, Kind::kFew},
        Case{"QuadraticOptimism", Objective::kQuadraticOptimism, Kind::kNormal},
        Case{"QuadraticOptimismAnyLength", Objective::kQuadraticOptimism,
             Kind::kAnyLength},
        Case{"QuadraticOptimismUnitLength", Objective::kQuadraticOptimism,
             Kind::kUnitLength},
        Case{"QuadraticOptimismTiny", Objective::kQuadraticOptimism,
             Kind::kTiny},
        Case{"QuadraticOptimismFew", Objective::kQuadraticOptimism, Kind::kFew},
        Case{"Forms", Objective::kQuadraticForm, Kind::kNormal},
        Case{"FormsAnyLength", Objective::kQuadraticForm, Kind::kAnyLength},
        Case{"FormsTiny", Objective::kQuadraticForm, Kind::kTiny}),
    [](const auto& given) { return given.param.name; });

TEST(FirstPass, ReadsAndScoresFewOfManyArms) {
  ArmStore store(16);
  store.KeepCompactCopy();
  constexpr std::size_t kArms = 100'000;
  std::vector<ArmId> ids(kArms);
  for (std::size_t i = 0; i < kArms; ++i) ids[i] = i;
  store.Add(ids, GaussianRows(kArms, 16, 1));
  Scorer scorer(Objective::kInnerProduct);
  FirstPass pass(Objective::kInnerProduct);
  SearchCost cost;
  constexpr std::uint64_t kQuestions = 20;
  for (std::uint64_t i = 0; i < kQuestions; ++i) {
    std::vector<double> draw(16);
    RandomStream(2, RandomStream::Role::kSample, i).Gaussians(draw);
    const Eigen::VectorXd theta = Eigen::Map<Eigen::VectorXd>(draw.data(), 16);
    const Query query{.direction = &theta};
    scorer.Take(query);
    kernels::TopHits top(1);
    EXPECT_TRUE(pass.Find({.store = store,
                           .arms = store.members().arms(),
                           .all_arms = true,
                           .eligible = nullptr},
                          scorer, query, top, cost));
  }
  // A scan scores 100,000 arms and reads 6.4 MB. Of these questions the mean is
  // 8 arms and 0.5 MB.
  EXPECT_LT(cost.arms, 50 * kQuestions);
  EXPECT_LT(cost.bytes, 1'300'000 * kQuestions);
}

TEST(FirstPass, GivesUpWhereEveryArmReachesTheThreshold) {
  ArmStore store(16);
  store.KeepCompactCopy();
  constexpr std::size_t kArms = 20'000;
  std::vector<ArmId> ids(kArms);
  for (std::size_t i = 0; i < kArms; ++i) ids[i] = i;
  store.Add(ids, std::vector<float>(kArms * 16, 0.25F));
  Scorer scorer(Objective::kInnerProduct);
  FirstPass pass(Objective::kInnerProduct);
  const Eigen::VectorXd theta = Eigen::VectorXd::Ones(16);
  const Query query{.direction = &theta};
  scorer.Take(query);
  int tried = 0;
  for (int i = 0; i < 1000; ++i) {
    SearchCost cost;
    kernels::TopHits top(1);
    EXPECT_FALSE(pass.Find({.store = store,
                            .arms = store.members().arms(),
                            .all_arms = true,
                            .eligible = nullptr},
                           scorer, query, top, cost));
    if (cost.bytes > 0) ++tried;
    // Two fifths of the scan, and what the last 64 blocks add.
    EXPECT_LE(cost.price, 2 * kArms * 64 / 5 + std::size_t{64} * 5 * 1024 + 1);
  }
  EXPECT_LE(tried, 11);
}

// What one query has cost. Arms are normal; those whose number is divisible by
// `one_of`, beginning with `first`, are eligible.
SearchCost CostAmong(const ArmStore& store, FirstPass& pass, Slot first,
                     Slot end, Slot one_of) {
  ArmSet eligible;
  for (Slot slot = first; slot < end; slot += one_of) eligible.Add(slot);
  Scorer scorer(Objective::kInnerProduct);
  const Eigen::VectorXd theta = Eigen::VectorXd::Ones(16);
  const Query query{.direction = &theta};
  scorer.Take(query);
  kernels::TopHits top(1);
  SearchCost cost;
  pass.Find({.store = store,
             .arms = store.members().arms(),
             .all_arms = true,
             .eligible = &eligible},
            scorer, query, top, cost);
  return cost;
}

TEST(FirstPass, KnowsThatAScanReadsWholeBlocks) {
  ArmStore store(16);
  store.KeepCompactCopy();
  constexpr Slot kArms = 20'000;
  std::vector<ArmId> ids(kArms);
  for (Slot i = 0; i < kArms; ++i) ids[i] = i;
  store.Add(ids, GaussianRows(kArms, 16, 1));
  // The same number of arms: 125 KiB in their own blocks, and a megabyte in
  // all blocks.
  FirstPass pass(Objective::kInnerProduct);
  EXPECT_EQ(CostAmong(store, pass, 0, 2000, 1).bytes, 0U);
  EXPECT_GT(CostAmong(store, pass, 0, kArms, 10).bytes, 0U);
  // One arm in a hundred is too few, however large their blocks are.
  EXPECT_EQ(CostAmong(store, pass, 0, kArms, 100).bytes, 0U);
}

TEST(FirstPass, CountsMasksOfDifferentSizesByThemselves) {
  ArmStore store(16);
  store.KeepCompactCopy();
  constexpr Slot kArms = 20'000;
  std::vector<ArmId> ids(kArms);
  for (Slot i = 0; i < kArms; ++i) ids[i] = i;
  // All arms reach the threshold, so that every pass is given up.
  store.Add(ids, std::vector<float>(std::size_t{kArms} * 16, 0.25F));
  FirstPass pass(Objective::kInnerProduct);
  EXPECT_GT(CostAmong(store, pass, 0, kArms, 2).bytes, 0U);
  EXPECT_EQ(CostAmong(store, pass, 0, kArms, 2).bytes, 0U);
  EXPECT_GT(CostAmong(store, pass, 0, kArms, 10).bytes, 0U);
}

// The bound is compared with the largest singular value.
TEST(FirstPass, KnowsABoundOfEveryNorm) {
  for (const int dim : {1, 2, 16, 64, 65, 100}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      Eigen::MatrixXd matrix(dim, dim);
      std::vector<double> draw(static_cast<std::size_t>(dim * dim));
      RandomStream(seed, RandomStream::Role::kArm, 1).Gaussians(draw);
      for (int i = 0; i < dim * dim; ++i) {
        matrix(i % dim, i / dim) = draw[static_cast<std::size_t>(i)];
      }
      const RowMatrix lower = matrix.triangularView<Eigen::Lower>();
      const double norm =
          Eigen::MatrixXd(lower).jacobiSvd().singularValues()[0];
      EXPECT_GE(NormBound(lower, 64), norm);
      if (dim <= 64) {
        EXPECT_LE(NormBound(lower, 64), 1.31 * norm);
      }
    }
  }
}

}  // namespace
}  // namespace manyarms
