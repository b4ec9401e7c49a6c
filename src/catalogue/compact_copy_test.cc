#include "catalogue/compact_copy.h"

#include <cmath>
#include <map>

#include "manyarms/random.h"
#include "testing.h"

namespace manyarms {
namespace {

// The arms as a map, and what must hold of every copy of them.
class Twin {
 public:
  explicit Twin(std::size_t dim) : dim_(dim), copy_(dim) {}

  void Add(Slot slot, std::vector<float> row) {
    rows_[slot] = std::move(row);
    copy_.Add({.block = BlockOf(slot), .lanes = 1U << LaneOf(slot)},
              BlockWith(slot).data());
  }
  void Remove(Slot slot) {
    copy_.Remove(slot, BlockWith(slot).data());
    rows_.erase(slot);
  }
  std::size_t size() const { return rows_.size(); }
  bool Has(Slot slot) const { return rows_.contains(slot); }
  const CompactCopy& copy() const { return copy_; }

  void Check() const {
    ASSERT_EQ(copy_.size(), rows_.size());
    std::map<Slot, int> seen;
    float longest = std::numeric_limits<float>::infinity();
    for (const CompactCopy::Group* group : copy_.groups()) {
      ASSERT_LE(group->length(), longest);
      longest = group->length();
      std::uint32_t arms = 0;
      group->ForEachRun([&](const CompactCopy::Run& run) {
        for (std::uint32_t arm = 0; arm < run.arms; ++arm) {
          ++seen[run.slots[arm]];
          CheckArm(*group, run, arm);
        }
        arms += run.arms;
        return true;
      });
      ASSERT_EQ(arms, group->arms());
    }
    ASSERT_EQ(seen.size(), rows_.size());
    for (const auto& [slot, times] : seen) ASSERT_EQ(times, 1);
  }

 private:
  // A block that has the arm in its lane, and other numbers elsewhere.
  std::vector<float> BlockWith(Slot slot) const {
    std::vector<float> block(dim_ * kLanes, 3.5F);
    for (std::size_t j = 0; j < dim_; ++j) {
      block[j * kLanes + LaneOf(slot)] = rows_.at(slot)[j];
    }
    return block;
  }

  void CheckArm(const CompactCopy::Group& group, const CompactCopy::Run& run,
                std::uint32_t arm) const {
    const std::vector<float>& row = rows_.at(run.slots[arm]);
    const std::uint8_t* block =
        run.blocks + arm / kLanes * kernels::CompactBlockBytes(dim_);
    double square = 0;
    double rest = 0;
    for (std::size_t j = 0; j < dim_; ++j) {
      const int q =
          block[j / 4 * 64 + std::size_t{arm % kLanes} * 4 + j % 4] - 128;
      const double difference = row[j] - double{group.scale()} * q;
      rest += difference * difference;
      square += double{row[j]} * row[j];
    }
    ASSERT_LE(std::sqrt(square), group.length());
    ASSERT_LE(std::sqrt(rest), group.error());
  }

  std::size_t dim_;
  CompactCopy copy_;
  std::map<Slot, std::vector<float>> rows_;
};

std::vector<float> Row(std::size_t dim, std::uint64_t number, double size) {
  std::vector<float> row(dim);
  RandomStream(5, RandomStream::Role::kArm, number).Gaussians(row);
  for (float& value : row) value = static_cast<float>(value * size);
  return row;
}

TEST(CompactCopy, BoundsEveryArmWhateverComesAndGoes) {
  for (const std::size_t dim : {1U, 6U, 16U, 50U}) {
    Twin twin(dim);
    RandomStream random(1, RandomStream::Role::kChurn, dim);
    for (std::uint64_t step = 0; step < 6000; ++step) {
      const auto slot = static_cast<Slot>(random.Below(3000));
      if (twin.Has(slot)) {
        twin.Remove(slot);
      } else {
        const double size = std::pow(10.0, -40 + 45 * random.Uniform());
        twin.Add(slot, Row(dim, step, random.Below(3) == 0 ? size : 1));
      }
      if (step % 1000 == 0) twin.Check();
    }
    twin.Check();
  }
}

TEST(CompactCopy, TakesArmsOfZerosAndArmsThatAreAllTheSame) {
  Twin twin(16);
  for (Slot slot = 0; slot < 5000; ++slot) {
    twin.Add(slot, slot % 2 == 0 ? std::vector<float>(16) : Row(16, 1, 1));
  }
  twin.Check();
  EXPECT_EQ(twin.copy().groups().size(), 2U);
  for (Slot slot = 0; slot < 5000; slot += 3) twin.Remove(slot);
  twin.Check();
}

// Large groups have several pages; pages are given back and used again.
TEST(CompactCopy, KeepsToItsMemoryWhileArmsComeAndGo) {
  Twin twin(64);
  constexpr Slot kArms = 20000;
  for (Slot slot = 0; slot < kArms; ++slot) twin.Add(slot, Row(64, 1, 1));
  const std::size_t before = twin.copy().memory_bytes();
  EXPECT_GT(before, kArms * (64 + 8));
  EXPECT_LT(before, 4 * kArms * (64 + 8));
  // In each round all arms get another length, so another group grows.
  for (std::uint64_t round = 0; round < 5; ++round) {
    for (Slot slot = 0; slot < kArms; ++slot) {
      twin.Remove(slot);
      twin.Add(slot, Row(64, 1, 2.0 + static_cast<double>(round)));
    }
  }
  twin.Check();
  EXPECT_LT(twin.copy().memory_bytes(), 2 * before);
}

}  // namespace
}  // namespace manyarms
