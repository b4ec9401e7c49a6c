// Many finders over one catalogue, asked by several threads while arms are
// added and removed. Each finds what a scan finds, within its limit of memory.

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "manyarms/random.h"
#include "manyarms/threads.h"
#include "posterior/posterior.h"
#include "search/certified/certified_finder.h"
#include "search/certified/certified_index.h"
#include "search/scan/scan.h"
#include "testing.h"

namespace manyarms {
namespace {

using Role = RandomStream::Role;

constexpr std::size_t kDim = 8;
constexpr std::size_t kFinders = 1000;
constexpr std::size_t kArms = 100'000;
constexpr std::size_t kMaxBytes = std::size_t{128} * 1024;
constexpr double kExploration = 2;

// Sanitizers make these tests slower by ten times or more.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t kRounds = 3;
#else
constexpr std::uint64_t kRounds = 10;
#endif

// An asker with rewards of its own, and what was learned from them.
class Asker {
 public:
  Asker(std::uint64_t key, Index& index, Objective objective)
      : key_(key),
        objective_(objective),
        posterior_(kDim, 1),
        finder_(index, {.background = true, .max_bytes = kMaxBytes}),
        scan_(index) {
    // It starts as if it had chosen 200 times already.
    for (std::uint64_t i = 0; i < 200; ++i) {
      std::vector<float> row(kDim);
      RandomStream(key, Role::kArm, i).Gaussians(row);
      Learn(row);
    }
  }

  // Whether finder and scan give the same answer.
  [[nodiscard]] bool Choose(const ArmStore& store) {
    std::vector<double> xi(kDim);
    RandomStream(key_, Role::kSample, ++choices_).Gaussians(xi);
    const Eigen::VectorXd direction = objective_ == Objective::kInnerProduct
                                          ? posterior_.Sample(kExploration, xi)
                                          : posterior_.Mean();
    const RowMatrix factor = posterior_.InverseFactor();
    const Query query{.belief = &posterior_,
                      .direction = &direction,
                      .factor = &factor,
                      .exploration = kExploration};
    const auto lock = store.ReadLock();
    const std::optional<Hit> found = finder_.Best(query);
    const std::optional<Hit> expected = scan_.Best(query);
    if (!found || !expected || found->slot != expected->slot ||
        found->score != expected->score) {
      return false;
    }
    const TopRequest request{.count = 3};
    const std::vector<Hit> top = finder_.Top(query, request);
    const std::vector<Hit> best = scan_.Top(query, request);
    for (std::size_t i = 0; i < 3; ++i) {
      if (top[i].slot != best[i].slot) return false;
    }
    std::vector<float> row(kDim);
    store.CopyFeatures(found->slot, row);
    Learn(row);
    return true;
  }

  const CertifiedFinder& finder() const { return finder_; }

 private:
  void Learn(std::span<const float> row) {
    std::vector<double> taste(kDim);
    RandomStream(key_, Role::kTheta, 0).Gaussians(taste);
    double reward = 0;
    for (std::size_t j = 0; j < kDim; ++j) reward += taste[j] * row[j];
    posterior_.Update(row, reward);
  }

  const std::uint64_t key_;
  const Objective objective_;
  Posterior posterior_;
  CertifiedFinder finder_;
  ScanFinder scan_;
  std::uint64_t choices_ = 0;
};

struct Setting {
  const char* name;
  Objective objective;
  bool compact_copy;
};

std::ostream& operator<<(std::ostream& out, const Setting& setting) {
  return out << setting.name;
}

class Finders : public ::testing::TestWithParam<Setting> {
 protected:
  Finders() : store_(kDim), index_({}, objective(), store_, Scope::kAllArms) {
    if (GetParam().compact_copy) store_.KeepCompactCopy();
    store_.Add(testing::FirstIds(kArms), testing::GaussianRows(kArms, kDim, 1));
  }
  ~Finders() override { SetSurveyThreads(1); }

  static Objective objective() { return GetParam().objective; }

  // Adds, removes and updates arms, some of which are better than all others.
  void Churn(std::uint64_t step) {
    RandomStream random(2, Role::kChurn, step);
    std::vector<float> row(kDim);
    RandomStream(3, Role::kArm, step).Gaussians(row);
    if (step % 50 == 0) {
      for (float& value : row) value *= 3;
    }
    store_.Add(kArms + step, row);
    store_.Remove(step);
    const auto changed = static_cast<ArmId>(step + 1 + random.Below(kArms / 2));
    if (const auto slot = store_.Find(changed)) {
      store_.Replace(std::span(&*slot, 1), row);
    }
  }

  ArmStore store_;
  CertifiedIndex index_;
};

TEST_P(Finders, AThousandFindWhatScansFindWhileArmsComeAndGo) {
  SetSurveyThreads(2);
  std::vector<std::unique_ptr<Asker>> askers;
  askers.reserve(kFinders);
  for (std::uint64_t key = 0; key < kFinders; ++key) {
    askers.push_back(std::make_unique<Asker>(key, index_, objective()));
  }
  std::atomic<int> asking = 2;
  std::atomic<std::uint64_t> wrong = 0;
  const auto ask = [&](std::size_t first) {
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      for (std::size_t i = first; i < kFinders; i += 2) {
        // Some ask often, most rarely.
        const int times = i < 20 ? 20 : 1;
        for (int t = 0; t < times; ++t) {
          if (!askers[i]->Choose(store_)) ++wrong;
        }
      }
    }
    --asking;
  };
  std::thread odd(ask, 1);
  std::thread even(ask, 0);
  std::uint64_t changes = 0;
  for (; asking > 0; ++changes) {
    Churn(changes);
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  odd.join();
  even.join();
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(changes, 100U);
  SetSurveyThreads(0);  // no survey begins that could end between questions
  std::uint64_t orders = 0;
  for (const auto& asker : askers) {
    orders += asker->finder().stats().snapshots;
    // The limit does not include an order that a survey has made since the last
    // question. The next question takes it.
    std::size_t bytes = asker->finder().memory_bytes();
    if (bytes > kMaxBytes) {
      EXPECT_TRUE(asker->Choose(store_));
      bytes = asker->finder().memory_bytes();
    }
    EXPECT_LE(bytes, kMaxBytes);
  }
  EXPECT_GT(orders, 10U) << "no orders were in use";
}

// After more changes than the log holds, the epochs of blocks say what has
// changed.
TEST_P(Finders, FindWhatScansFindAfterSleepingThroughAMillionChanges) {
  Asker asker(1, index_, objective());
  const auto choose = [&] {
    const std::uint64_t before = asker.finder().stats().arms_scored;
    EXPECT_TRUE(asker.Choose(store_));
    return asker.finder().stats().arms_scored - before;
  };
  // Chooses until the finder has settled and is not about to make another
  // order.
  for (int settled = 0; settled < 100;) {
    settled = choose() < kArms / 10 ? settled + 1 : 0;
  }
  const Epoch slept_at = store_.members().epoch();
  std::vector<float> row(kDim);
  constexpr std::uint64_t kChanges = 250'000;  // of four changes each
  for (std::uint64_t i = 0; i < kChanges; ++i) {
    RandomStream(4, Role::kArm, i).Gaussians(row);
    const ArmId id = 1000 + i % 5000;
    store_.Remove(id);
    store_.Add(id, row);
    const Slot slot = store_.At(id);
    store_.Replace(std::span(&slot, 1), row);
  }
  ASSERT_GE(store_.members().epoch(), slept_at + 1'000'000);
  ASSERT_FALSE(store_.members().LogReaches(slept_at));
  const std::uint64_t orders = asker.finder().stats().snapshots;
  // The finder uses the order that it had: both queries together score less
  // than half of the arms.
  EXPECT_LT(choose(), kArms / 2);
  EXPECT_EQ(asker.finder().stats().snapshots, orders);
  for (int i = 0; i < 200; ++i) {
    Churn(static_cast<std::uint64_t>(i) + 7000);
    ASSERT_TRUE(asker.Choose(store_));
  }
}

// Changes do not wait until all surveys are done.
TEST_P(Finders, ArmsAreAddedWhileSurveysRunOneAfterAnother) {
  SetSurveyThreads(4);
  std::vector<std::unique_ptr<Asker>> askers;
  askers.reserve(50);
  for (std::uint64_t key = 0; key < 50; ++key) {
    askers.push_back(std::make_unique<Asker>(key, index_, objective()));
  }
  std::uint64_t orders = 0;
  for (std::uint64_t step = 0; orders < 20; ++step) {
    ASSERT_LT(step, 5000U) << "surveys never end";
    ASSERT_TRUE(askers[step % askers.size()]->Choose(store_));
    Churn(step);
    orders = 0;
    for (const auto& asker : askers) {
      orders += asker->finder().stats().snapshots;
    }
  }
}

// Two askers have learned equally often, one of them next to nothing. A bound
// that holds for the widths of the other would be too low for it.
TEST_P(Finders, ASharedOneServesAskersInTurn) {
  Posterior certain(kDim, 1);
  Posterior uncertain(kDim, 1);
  for (std::uint64_t i = 0; i < 500; ++i) {
    std::vector<float> row(kDim);
    RandomStream(1, Role::kArm, i).Gaussians(row);
    for (float& value : row) value *= 10;
    certain.Update(row, row[0]);
    for (float& value : row) value *= 1e-6F;
    uncertain.Update(row, row[1]);
  }
  ASSERT_EQ(certain.version(), uncertain.version());
  const std::unique_ptr<Finder> shared = index_.MakeSharedFinder();
  ScanFinder scan(index_);
  std::vector<double> xi(kDim);
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Posterior& asker = i % 2 == 0 ? certain : uncertain;
    RandomStream(1, Role::kSample, i).Gaussians(xi);
    const Eigen::VectorXd direction =
        asker.Sample(objective() == Objective::kInnerProduct ? 2 : 0.1, xi);
    const RowMatrix factor = asker.InverseFactor();
    const Query query{.belief = &asker,
                      .direction = &direction,
                      .factor = &factor,
                      .exploration = kExploration};
    ASSERT_EQ(shared->Best(query)->slot, scan.Best(query)->slot) << i;
    const TopRequest request{.count = 3};
    const std::vector<Hit> top = shared->Top(query, request);
    const std::vector<Hit> best = scan.Top(query, request);
    for (std::size_t k = 0; k < 3; ++k) ASSERT_EQ(top[k].slot, best[k].slot);
  }
  EXPECT_EQ(shared->stats().snapshots, 0U);
  if (GetParam().compact_copy) {
    EXPECT_GT(shared->stats().first_passes, 100U);
  }
}

// A feature that is far larger than all others makes compact arms coarse: so
// many reach the cutoff of a survey that it is given up. The next reads all
// arms.
TEST(ConstantFeatures, DoNotPreventSurveys) {
  ArmStore store(kDim);
  store.KeepCompactCopy();
  std::vector<float> rows = testing::GaussianRows(kArms, kDim, 1);
  for (std::size_t i = 0; i < rows.size(); i += kDim) rows[i] = 300;
  store.Add(testing::FirstIds(kArms), rows);
  CertifiedIndex index({}, Objective::kInnerProduct, store, Scope::kAllArms);
  CertifiedFinder finder(index, {.background = false});
  ScanFinder scan(index);
  Posterior posterior(kDim, 1);
  std::vector<double> xi(kDim);
  for (std::uint64_t step = 0; step < 3000; ++step) {
    RandomStream(1, Role::kSample, step).Gaussians(xi);
    const Eigen::VectorXd direction = posterior.Sample(0.01, xi);
    const Query query{.belief = &posterior, .direction = &direction};
    const Hit found = *finder.Best(query);
    if (step % 50 == 0) {
      ASSERT_EQ(found.slot, scan.Best(query)->slot);
    }
    const auto row = std::span(rows).subspan(found.slot * kDim, kDim);
    posterior.Update(row, row[1] - row[2] + 0.1 * xi[0]);
  }
  EXPECT_GE(finder.stats().snapshots, 1U);
  // A scan scores 100,000 arms a choice.
  EXPECT_LT(finder.stats().arms_scored, 3000U * kArms / 10);
}

INSTANTIATE_TEST_SUITE_P(
    EveryObjective, Finders,
    ::testing::Values(
        Setting{"InnerProduct", Objective::kInnerProduct, true},
        Setting{"Optimism", Objective::kOptimism, true},
        Setting{"QuadraticOptimism", Objective::kQuadraticOptimism, true},
        Setting{"InnerProductWithoutCopy", Objective::kInnerProduct, false},
        Setting{"OptimismWithoutCopy", Objective::kOptimism, false},
        Setting{"QuadraticOptimismWithoutCopy", Objective::kQuadraticOptimism,
                false}),
    [](const auto& setting) { return setting.param.name; });

}  // namespace
}  // namespace manyarms
