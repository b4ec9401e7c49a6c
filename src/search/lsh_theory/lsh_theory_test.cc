#include <memory>
#include <vector>

#include "search/searcher.h"
#include "testing.h"

namespace manyarms {
namespace {

// Where the paper's promises hold: arms within length 1, a fine ladder and
// enough copies. Algorithm 4's answer is then within 3 eta / d of the best.
TEST(LshTheorySearch, IsAsGoodAsItsLadderIsFine) {
  constexpr std::size_t kFeatures = 3;
  constexpr double kEta = 0.25;
  ArmStore store(kFeatures);
  auto rows = testing::GaussianRows(150, kFeatures, 1);
  for (float& v : rows) v *= 0.25F;
  const auto slots = store.Add(testing::FirstIds(150), rows);
  const auto search = std::make_unique<Searcher>(
      LshTheoryOptions{.accuracy = kEta, .copies = 4}, Objective::kInnerProduct,
      store, 1);
  const auto scan = std::make_unique<Searcher>(
      ScanOptions{}, Objective::kInnerProduct, store, 1);
  search->Add(slots);
  scan->Add(slots);
  for (std::uint64_t i = 0; i < 100; ++i) {
    Eigen::VectorXd q(static_cast<Eigen::Index>(kFeatures));
    RandomStream(6, RandomStream::Role::kTheta, i)
        .Gaussians(std::span(q.data(), kFeatures));
    const double best = scan->Best({.direction = &q})->score / q.norm();
    const double found = search->Best({.direction = &q})->score / q.norm();
    EXPECT_GE(found, best - 4 * kEta / kFeatures);
    EXPECT_GT(found, 0);
  }
  EXPECT_EQ(search->stats().scans, 0U);
}

// An error changes nothing: arms can be removed, and the next query throws the
// same error.
TEST(LshTheorySearch, SurvivesTreesThatDoNotFit) {
  ArmStore store(6);
  const auto search = std::make_unique<Searcher>(
      LshTheoryOptions{.max_bytes = 1e6}, Objective::kInnerProduct, store, 1);
  const auto slots =
      store.Add(testing::FirstIds(200), testing::GaussianRows(200, 6, 1));
  search->Add(slots);
  const Eigen::VectorXd q = Eigen::VectorXd::Ones(6);
  for (int i = 0; i < 2; ++i) {
    testing::ExpectError(ErrorCode::kTooLarge, {"bytes"},
                         [&] { search->Best({.direction = &q}); });
    search->Remove(slots[static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(search->size(), 198U);
}

TEST(LshTheorySearch, AnswersTheSameWithAnyNumberOfThreads) {
  ArmStore store(3);
  const auto slots =
      store.Add(testing::FirstIds(100), testing::GaussianRows(100, 3, 1));
  std::vector<std::unique_ptr<Searcher>> searches;
  for (const std::size_t threads : {1U, 2U, 4U}) {
    searches.push_back(std::make_unique<Searcher>(
        LshTheoryOptions{.accuracy = 1, .copies = 4, .threads = threads},
        Objective::kInnerProduct, store, 1));
    searches.back()->Add(slots);
  }
  for (std::uint64_t i = 0; i < 50; ++i) {
    Eigen::VectorXd q(3);
    RandomStream(6, RandomStream::Role::kTheta, i)
        .Gaussians(std::span(q.data(), 3));
    const Slot expected = searches[0]->Best({.direction = &q})->slot;
    EXPECT_EQ(searches[1]->Best({.direction = &q})->slot, expected);
    EXPECT_EQ(searches[2]->Best({.direction = &q})->slot, expected);
  }
}

}  // namespace
}  // namespace manyarms
