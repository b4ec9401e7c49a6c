// What must hold for every search with every objective that it serves.

#include <array>
#include <cmath>
#include <ostream>
#include <set>

#include "kernels/arm_set.h"
#include "posterior/posterior.h"
#include "search/kinds.h"
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
      {"Optimism", Objective::kOptimism},
      {"QuadraticOptimism", Objective::kQuadraticOptimism}};
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
      factor_ = posterior_.InverseFactor();
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
        return (kRadius * factor_ * x).squaredNorm();
      case Objective::kOptimism:
        return direction_.dot(x) + (kRadius * factor_ * x).norm();
      case Objective::kQuadraticOptimism:
        return direction_.dot(x) + (kRadius * factor_ * x).squaredNorm();
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
      // Lifted arms of quadratic optimism have parts of very unequal length,
      // and are missed more often.
      const bool unequal =
          GetParam().objective == Objective::kQuadraticOptimism;
      EXPECT_GE(right, unequal ? queries / 2 : queries * 8 / 10);
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
  RowMatrix factor_;
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
  // The square of this arm is a million times longer than the others, and all
  // distances between those are lost to rounding in float.
  if (GetParam().name == "HnswEuclideanQuadraticOptimism") return;
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

}  // namespace
}  // namespace manyarms
