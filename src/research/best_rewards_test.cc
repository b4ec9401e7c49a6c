#include "research/best_rewards.h"

#include <cmath>
#include <limits>
#include <map>

#include "testing.h"

namespace manyarms {
namespace {

using testing::FirstIds;
using testing::GaussianRows;
using Role = RandomStream::Role;

std::vector<std::vector<double>> Directions(std::size_t count,
                                            std::size_t dim) {
  std::vector<std::vector<double>> directions(count, std::vector<double>(dim));
  for (std::size_t i = 0; i < count; ++i) {
    RandomStream(8, Role::kTheta, i).Gaussians(directions[i]);
  }
  return directions;
}

// The same by its definition, in double.
class SlowBest {
 public:
  void Add(std::span<const ArmId> arms, std::span<const float> rows,
           std::size_t dim) {
    for (std::size_t i = 0; i < arms.size(); ++i) {
      const auto row = rows.subspan(i * dim, dim);
      arms_[arms[i]].assign(row.begin(), row.end());
    }
  }
  void Remove(ArmId arm) { arms_.erase(arm); }
  double Of(const std::vector<double>& direction) const {
    double best = -std::numeric_limits<double>::infinity();
    for (const auto& [arm, row] : arms_) {
      double sum = 0;
      for (std::size_t j = 0; j < row.size(); ++j) sum += direction[j] * row[j];
      best = std::max(best, sum);
    }
    return best;
  }

 private:
  std::map<ArmId, std::vector<float>> arms_;
};

TEST(BestRewards, AreThoseOfEveryArmInDouble) {
  for (const std::size_t dim : {1U, 3U, 16U, 70U}) {
    constexpr std::size_t kArms = 9000;
    const std::vector<float> rows = GaussianRows(kArms, dim, dim);
    BestRewards fast(dim);
    SlowBest slow;
    fast.Add(FirstIds(kArms), rows);
    slow.Add(FirstIds(kArms), rows, dim);
    const auto directions = Directions(5, dim);
    const auto compare = [&] {
      const std::vector<double> bests = fast.Of(directions);
      for (std::size_t k = 0; k < directions.size(); ++k) {
        ASSERT_EQ(bests[k], slow.Of(directions[k])) << "dim " << dim;
      }
    };
    compare();
    for (ArmId arm = 0; arm < kArms; arm += 2) {
      fast.Remove(std::span(&arm, 1));
      slow.Remove(arm);
    }
    compare();
  }
}

// Floats cannot tell these arms apart: scores of about 1,000 that differ by
// 1e-5 or so.
TEST(BestRewards, AreExactAmongArmsThatAreNearlyEqual) {
  constexpr std::size_t kArms = 3000;
  constexpr std::size_t kDim = 6;
  std::vector<float> rows(kArms * kDim);
  for (std::size_t i = 0; i < kArms; ++i) {
    RandomStream random(9, Role::kArm, i);
    for (std::size_t j = 0; j < kDim; ++j) {
      rows[i * kDim + j] =
          std::nextafter(1000.0F, random.Uniform() < 0.5 ? 0.0F : 2000.0F);
    }
  }
  BestRewards fast(kDim);
  SlowBest slow;
  fast.Add(FirstIds(kArms), rows);
  slow.Add(FirstIds(kArms), rows, kDim);
  const auto directions = Directions(20, kDim);
  const std::vector<double> bests = fast.Of(directions);
  for (std::size_t k = 0; k < directions.size(); ++k) {
    EXPECT_EQ(bests[k], slow.Of(directions[k]));
  }
}

TEST(BestRewards, AreMinusInfinityWithoutArms) {
  const BestRewards none(3);
  EXPECT_EQ(none.Of(Directions(1, 3)),
            std::vector{-std::numeric_limits<double>::infinity()});
}

}  // namespace
}  // namespace manyarms
