#include "catalogue/compact_copy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "manyarms/random.h"
#include "testing.h"

namespace manyarms {
namespace {

// Blocks of features, as a store has them. Lanes without arms have other
// numbers.
class Blocks {
 public:
  explicit Blocks(std::size_t dim) : dim_(dim) {}

  void Write(Slot slot, std::span<const float> row) {
    while (BlockOf(slot) >= blocks_.size()) {
      blocks_.emplace_back(dim_ * kLanes, 3.5F);
      chunks_.push_back(blocks_.back().data());
    }
    for (std::size_t j = 0; j < dim_; ++j) {
      blocks_[BlockOf(slot)][j * kLanes + LaneOf(slot)] = row[j];
    }
  }

  BlockTable table() const {
    return {.feature_chunks = chunks_.data(), .dim = dim_};
  }

 private:
  std::size_t dim_;
  std::vector<std::vector<float>> blocks_;
  std::vector<const float*> chunks_;
};

// The arms as a map, and what must hold of every copy of them.
class Twin {
 public:
  explicit Twin(std::size_t dim) : dim_(dim), blocks_(dim), copy_(dim) {}

  void Write(Slot slot, std::vector<float> row) {
    blocks_.Write(slot, row);
    rows_[slot] = std::move(row);
  }
  void Add(Slot slot, std::vector<float> row) {
    Write(slot, std::move(row));
    copy_.Add(std::span(&slot, 1), blocks_.table());
  }
  // REQUIRES: they were written.
  void AddMany(std::span<const Slot> slots) {
    copy_.Add(slots, blocks_.table());
  }
  void Remove(Slot slot) {
    copy_.Remove(slot, blocks_.table());
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
  Blocks blocks_;
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

// All that a copy holds: of each group its bounds, and of each of its runs the
// slots and the blocks, lanes without arms included.
struct Contents {
  explicit Contents(const CompactCopy& copy) {
    for (const CompactCopy::Group* group : copy.groups()) {
      bounds.insert(bounds.end(),
                    {group->length(), group->scale(), group->error()});
      group->ForEachRun([&](const CompactCopy::Run& run) {
        const std::uint32_t blocks = (run.arms + kLanes - 1) / kLanes;
        runs.push_back(run.arms);
        slots.insert(slots.end(), run.slots, run.slots + run.arms);
        bytes.insert(
            bytes.end(), run.blocks,
            run.blocks + blocks * kernels::CompactBlockBytes(copy.dim()));
        return true;
      });
    }
  }

  std::vector<float> bounds;
  std::vector<std::uint32_t> runs;
  std::vector<Slot> slots;
  std::vector<std::uint8_t> bytes;
};

void ExpectSame(const CompactCopy& a, const CompactCopy& b) {
  const Contents x(a);
  const Contents y(b);
  EXPECT_TRUE(x.bounds == y.bounds);
  EXPECT_TRUE(x.runs == y.runs);
  EXPECT_TRUE(x.slots == y.slots);
  EXPECT_TRUE(x.bytes == y.bytes);
}

// More than a thread takes at a time, and no multiple of anything.
constexpr Slot kMany = 70'007;

// Some arms are zeros, and some have a length that few others have.
std::vector<float> MixedRow(std::size_t dim, Slot slot) {
  const double rare = std::pow(10.0, static_cast<double>(slot % 50) - 45);
  return Row(dim, slot, slot % 7 == 0 ? 0 : slot % 11 == 0 ? rare : 1);
}

// Adds the arms to one copy at once and to the other one by one.
void ExpectSameAfterAdding(std::span<const Slot> slots, Twin& at_once,
                           Twin& one_by_one) {
  for (const Slot slot : slots) {
    const std::vector<float> row = MixedRow(at_once.copy().dim(), slot);
    at_once.Write(slot, row);
    one_by_one.Add(slot, row);
  }
  at_once.AddMany(slots);
  ExpectSame(at_once.copy(), one_by_one.copy());
  at_once.Check();
}

TEST(CompactCopy, AddsManyArmsAsOneByOne) {
  for (const std::size_t dim : {1U, 6U, 16U}) {
    for (const Slot before : {0U, 5U, 1000U}) {
      for (const Slot many : {2U, 16'384U, kMany}) {
        Twin at_once(dim);
        Twin one_by_one(dim);
        std::vector<Slot> slots(before + many);
        std::iota(slots.begin(), slots.end(), Slot{0});
        for (Slot slot = 0; slot < before; ++slot) {
          at_once.Add(slot, MixedRow(dim, slot));
          one_by_one.Add(slot, MixedRow(dim, slot));
        }
        ExpectSameAfterAdding(std::span(slots).subspan(before), at_once,
                              one_by_one);
      }
    }
  }
}

// The slots of removed arms come first, in any order, as they do in a store.
TEST(CompactCopy, AddsManyArmsToSlotsOfOthers) {
  Twin at_once(16);
  Twin one_by_one(16);
  std::vector<Slot> slots(kMany);
  std::iota(slots.begin(), slots.end(), Slot{0});
  ExpectSameAfterAdding(slots, at_once, one_by_one);
  std::vector<Slot> next;
  for (Slot i = 0; i < kMany / 2; ++i) {
    next.push_back(static_cast<Slot>(std::uint64_t{i} * 30'011 % kMany));
    at_once.Remove(next.back());
    one_by_one.Remove(next.back());
  }
  std::ranges::reverse(next);
  for (Slot i = 0; i < kMany; ++i) next.push_back(kMany + i);
  ExpectSameAfterAdding(next, at_once, one_by_one);
  for (const Slot slot : slots) {
    at_once.Remove(slot);
    one_by_one.Remove(slot);
  }
  ExpectSame(at_once.copy(), one_by_one.copy());
  at_once.Check();
}

}  // namespace
}  // namespace manyarms
