#include "catalogue/arm_store.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>

#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

std::vector<float> Features(const ArmStore& store, Slot slot) {
  std::vector<float> features(store.dim());
  store.CopyFeatures(slot, features);
  return features;
}

// A std::map behind the same operations; random sequences must agree. Ids come
// from a small range so that duplicates and unknown ids are common.
RC_GTEST_PROP(CatalogueModel, AgreesWithAMap, ()) {
  const auto dim = *rc::gen::inRange<std::size_t>(1, 20);
  ArmStore store(dim);
  std::map<ArmId, std::vector<float>> model;
  std::map<ArmId, Slot> slots;
  const auto operations = *rc::gen::container<std::vector<std::uint32_t>>(
      400, rc::gen::arbitrary<std::uint32_t>());
  for (const std::uint32_t operation : operations) {
    const ArmId id = ArmId{operation % 64} << 58;  // differ in high bits only
    const bool there = model.contains(id);
    if (operation / 64 % 5 < 3) {
      const std::vector<float> row(dim, static_cast<float>(operation % 1000));
      if (there) {
        RC_ASSERT_THROWS_AS(store.Add(id, row), Error);
      } else {
        slots[id] = store.Add(id, row);
        model[id] = row;
      }
    } else if (there) {
      RC_ASSERT(store.Remove(id) == slots[id]);
      model.erase(id);
      slots.erase(id);
    } else {
      RC_ASSERT_THROWS_AS(store.Remove(id), Error);
    }
    RC_ASSERT(store.size() == model.size());
  }
  for (std::uint64_t i = 0; i < 64; ++i) {
    const ArmId id = i << 58;
    const auto slot = store.Find(id);
    RC_ASSERT(slot.has_value() == model.contains(id));
    if (!slot) continue;
    RC_ASSERT(*slot == slots[id]);  // slots are stable
    RC_ASSERT(store.id(*slot) == id);
    RC_ASSERT(Features(store, *slot) == model[id]);
  }
}

TEST(ArmStore, HoldsManyChunks) {
  constexpr std::size_t kDim = 16;
  constexpr std::size_t kArms = 100000;
  ArmStore store(kDim);
  const auto rows = testing::GaussianRows(kArms, kDim, 1);
  const auto slots = store.Add(testing::FirstIds(kArms), rows);
  for (std::size_t i = 0; i < kArms; i += 777) {
    const auto features = Features(store, slots[i]);
    for (std::size_t j = 0; j < kDim; ++j) {
      ASSERT_EQ(features[j], rows[i * kDim + j]);
    }
  }
}

TEST(ArmStore, AcceptsEveryDimensionUpToTheBound) {
  for (const std::size_t dim : {std::size_t{1}, std::size_t{3}, kMaxDim}) {
    ArmStore store(dim);
    for (ArmId id = 0; id < 40; ++id) {
      store.Add(id, std::vector<float>(dim, static_cast<float>(id)));
    }
    EXPECT_EQ(Features(store, store.At(39)), std::vector<float>(dim, 39.0F));
  }
  for (const std::size_t dim : {std::size_t{0}, kMaxDim + 1}) {
    ExpectError(ErrorCode::kInvalidArgument, {std::to_string(dim), "4096"},
                [&] { ArmStore store(dim); });
  }
}

TEST(ArmStore, AddsAllOrNone) {
  ArmStore store(2);
  store.Add(7, std::vector<float>{1, 2});
  const float nan = std::nanf("");
  const float infinity = std::numeric_limits<float>::infinity();
  const auto add = [&](const std::vector<ArmId>& ids,
                       const std::vector<float>& features) {
    return [&store, ids, features] { store.Add(ids, features); };
  };
  ExpectError(ErrorCode::kInvalidArgument,
              {"row 1 of 2", "feature 1", "nan", "finite"},
              add({1, 2}, {0, 0, 0, nan}));
  ExpectError(ErrorCode::kInvalidArgument, {"inf", "finite"},
              add({1, 2}, {0, 0, -infinity, 0}));
  ExpectError(ErrorCode::kInvalidArgument, {"1e+06"},
              add({1, 2}, {0, 0, 2e6F, 0}));
  ExpectError(ErrorCode::kInvalidArgument, {"3 features", "2 arms"},
              add({1, 2}, {0, 0, 0}));
  ExpectError(ErrorCode::kDuplicateId, {"7"}, add({1, 7}, {0, 0, 0, 0}));
  ExpectError(ErrorCode::kDuplicateId, {"1"}, add({1, 1}, {0, 0, 0, 0}));
  EXPECT_EQ(store.size(), 1U);
  EXPECT_FALSE(store.Find(1));
  EXPECT_FALSE(store.Find(2));
}

TEST(ArmStore, NamesTheIdThatIsUnknown) {
  ArmStore store(1);
  ExpectError(ErrorCode::kUnknownId, {"12345"}, [&] { store.Remove(12345); });
}

// Also the next arms get the slots that they would have got.
TEST(ArmStore, RemovesSeveralArmsAsOneAfterAnother) {
  const std::vector<ArmId> gone = {7, 0, 19, 3};
  ArmStore together(2);
  ArmStore alone(2);
  for (ArmStore* store : {&together, &alone}) {
    store->Add(testing::FirstIds(20), testing::GaussianRows(20, 2, 1));
  }
  together.Remove(together.DistinctSlots(gone));
  for (const ArmId id : gone) alone.Remove(id);
  const std::vector<ArmId> coming = {100, 101, 102, 103, 104};
  const std::vector<float> rows = testing::GaussianRows(5, 2, 2);
  EXPECT_EQ(together.size(), 16U);
  EXPECT_EQ(together.Ids(), alone.Ids());
  EXPECT_EQ(together.members().epoch(), alone.members().epoch());
  EXPECT_EQ(together.Add(coming, rows), alone.Add(coming, rows));
}

TEST(ArmStore, ReusesSlotsSoThatChurnTakesNoMemory) {
  ArmStore store(4);
  const std::vector<float> row(4, 1.0F);
  for (ArmId id = 0; id < 1000; ++id) store.Add(id, row);
  const std::size_t before = store.memory_bytes();
  for (ArmId id = 1000; id < 200000; ++id) {
    store.Remove(id - 1000);
    store.Add(id, row);
  }
  // The log of changes grows up to 2,048 entries of 8 bytes.
  EXPECT_LE(store.memory_bytes(), before + 16'384);
}

// The limit is 1.3 K(4d + 8) bytes, which is 93.6 an arm here.
TEST(ArmStore, TakesLittleMoreThanItsFeaturesAndIds) {
  constexpr std::size_t kDim = 16;
  constexpr std::size_t kArms = 10'000'000;
  constexpr std::size_t kBatch = 10000;
  ArmStore store(kDim);
  const std::vector<float> rows(kBatch * kDim, 0.5F);
  std::vector<ArmId> ids(kBatch);
  for (std::size_t first = 0; first < kArms; first += kBatch) {
    for (std::size_t i = 0; i < kBatch; ++i) ids[i] = 3 * (first + i);
    store.Add(ids, rows);
  }
  const double per_arm = static_cast<double>(store.memory_bytes()) / kArms;
  EXPECT_LE(per_arm, 1.3 * (4 * kDim + 8));
  EXPECT_GE(per_arm, 4 * kDim + 8);  // or it forgot to count something
}

}  // namespace
}  // namespace manyarms
