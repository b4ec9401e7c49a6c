// Adding many arms at once compared with adding them in small calls.

#include <cmath>
#include <limits>

#include "catalogue/arm_store.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

// More than a thread takes at a time, and no multiple of anything.
constexpr std::size_t kArms = 70'007;

std::vector<ArmId> ScatteredIds(std::size_t count) {
  std::vector<ArmId> ids(count);
  for (std::size_t i = 0; i < count; ++i) ids[i] = i * 0x9e3779b97f4a7c15U;
  return ids;
}

void AddInSmallCalls(ArmStore& store, std::span<const ArmId> ids,
                     std::span<const float> rows, std::vector<Slot>& slots) {
  const std::size_t dim = store.dim();
  for (std::size_t i = 0; i < ids.size(); i += 100) {
    const std::size_t count = std::min<std::size_t>(100, ids.size() - i);
    for (const Slot slot :
         store.Add(ids.subspan(i, count), rows.subspan(i * dim, count * dim))) {
      slots.push_back(slot);
    }
  }
}

// Lanes without arms are compared, too: they must hold numbers.
void ExpectSameStores(const ArmStore& a, const ArmStore& b) {
  ASSERT_EQ(a.block_count(), b.block_count());
  EXPECT_EQ(a.Slots(), b.Slots());
  EXPECT_EQ(a.Ids(), b.Ids());
  EXPECT_EQ(a.members().epoch(), b.members().epoch());
  std::size_t different = 0;
  for (std::uint32_t block = 0; block < a.block_count(); ++block) {
    const float* x = a.blocks().Features(block);
    const float* y = b.blocks().Features(block);
    different += !std::equal(x, x + a.dim() * kLanes, y);
  }
  EXPECT_EQ(different, 0U);
  for (const ArmId id : a.Ids()) ASSERT_EQ(a.Find(id), b.Find(id));
}

TEST(ManyArms, AreAddedAsInSmallCalls) {
  for (const std::size_t dim : {1U, 6U, 16U}) {
    for (const std::size_t before : {0U, 5U, 16U}) {
      ArmStore many(dim);
      ArmStore few(dim);
      const auto rows = testing::GaussianRows(kArms, dim, 1);
      const auto ids = ScatteredIds(kArms);
      for (ArmStore* store : {&many, &few}) {
        for (ArmId id = 0; id < before; ++id) {
          store->Add(id + 1, std::vector<float>(dim, 7.0F));
        }
      }
      std::vector<Slot> slots;
      AddInSmallCalls(few, ids, rows, slots);
      EXPECT_EQ(many.Add(ids, rows), slots);
      ExpectSameStores(many, few);
    }
  }
}

TEST(ManyArms, GetTheSlotsOfRemovedArmsFirst) {
  constexpr std::size_t kDim = 4;
  const auto rows = testing::GaussianRows(2 * kArms, kDim, 2);
  const auto ids = ScatteredIds(2 * kArms);
  const auto later = std::span(ids).subspan(kArms);
  const auto later_rows = std::span(rows).subspan(kArms * kDim);
  ArmStore many(kDim);
  ArmStore few(kDim);
  std::vector<Slot> slots;
  for (ArmStore* store : {&many, &few}) {
    store->Add(std::span(ids).first(kArms),
               std::span(rows).first(kArms * kDim));
    std::vector<ArmId> gone;
    for (std::size_t i = 0; i < kArms; i += 2) gone.push_back(ids[i]);
    store->Remove(store->DistinctSlots(gone));
  }
  AddInSmallCalls(few, later, later_rows, slots);
  EXPECT_EQ(many.Add(later, later_rows), slots);
  ExpectSameStores(many, few);
}

TEST(ManyArms, MayBeDoublesWithAnyStrides) {
  constexpr std::size_t kDim = 5;
  const auto rows = testing::GaussianRows(kArms, kDim, 3);
  std::vector<double> columns(rows.size());
  for (std::size_t i = 0; i < kArms; ++i) {
    for (std::size_t j = 0; j < kDim; ++j) {
      columns[j * kArms + i] = rows[i * kDim + j];
    }
  }
  ArmStore a(kDim);
  ArmStore b(kDim);
  a.Add(ScatteredIds(kArms), rows);
  b.Add(ScatteredIds(kArms),
        FeatureRows(columns.data(), kArms, kDim, {.row = 1, .column = kArms}));
  ExpectSameStores(a, b);
}

// Without a copy, or with one that has all arms, but never with part of them.
TEST(ManyArms, AreAddedEvenIfThereIsNoMemoryForTheirCopy) {
  constexpr std::size_t kDim = 8;
  const auto rows = testing::GaussianRows(kArms, kDim, 6);
  int dropped = 0;
  for (std::size_t limit = 0; limit < 3'000'000; limit += 100'000) {
    ArmStore store(kDim);
    store.KeepCompactCopy(limit);
    store.Add(testing::FirstIds(100), std::span(rows).first(100 * kDim));
    auto ids = testing::FirstIds(kArms);
    for (ArmId& id : ids) id += 100;
    store.Add(ids, rows);
    EXPECT_EQ(store.size(), kArms + 100);
    if (store.compact_copy() == nullptr) {
      ++dropped;
    } else {
      EXPECT_EQ(store.compact_copy()->size(), store.size());
    }
    store.Remove(store.DistinctSlots(std::vector<ArmId>{3, 50'000}));
    EXPECT_EQ(store.size(), kArms + 98);
  }
  EXPECT_GT(dropped, 2);
  EXPECT_LT(dropped, 30);
}

class FailedAddition : public ::testing::Test {
 protected:
  FailedAddition() {
    for (ArmStore* store : {&store_, &untouched_}) {
      store->Add(testing::FirstIds(1000), testing::GaussianRows(1000, kDim, 4));
      store->Remove(store->DistinctSlots(std::vector<ArmId>{3, 500, 77}));
    }
    ids_ = testing::FirstIds(kArms);
    for (ArmId& id : ids_) id += 1000;
  }

  void Expect(ErrorCode code, const std::vector<std::string>& parts) {
    ExpectError(code, parts, [&] { store_.Add(ids_, rows_); });
    // The change log may mention arms that came and went.
    EXPECT_EQ(store_.size(), untouched_.size());
    EXPECT_EQ(store_.Slots(), untouched_.Slots());
    for (const ArmId id : ids_) {
      ASSERT_EQ(store_.Find(id), untouched_.Find(id)) << id;
    }
    for (std::uint32_t block = 0; block < store_.block_count(); ++block) {
      const float* x = store_.blocks().Features(block);
      for (std::size_t i = 0; i < kDim * kLanes; ++i) {
        ASSERT_TRUE(std::isfinite(x[i]));
      }
    }
  }

  static constexpr std::size_t kDim = 4;
  ArmStore store_{kDim};
  ArmStore untouched_{kDim};
  std::vector<ArmId> ids_;
  std::vector<float> rows_ = testing::GaussianRows(kArms, kDim, 5);
};

TEST_F(FailedAddition, NamesTheFirstBadRow) {
  rows_[60'001 * kDim + 1] = std::numeric_limits<float>::infinity();
  rows_[50'000 * kDim + 2] = std::nanf("");
  Expect(ErrorCode::kInvalidArgument,
         {"row 50000 of 70007", "feature 2", "nan"});
}

TEST_F(FailedAddition, LeavesNoBadValueWhereArmsWereRemoved) {
  for (std::size_t i = 0; i < 20; ++i) rows_[i * kDim] = std::nanf("");
  Expect(ErrorCode::kInvalidArgument, {"row 0 of 70007"});
}

TEST_F(FailedAddition, NamesTheIdThatIsThereAlready) {
  ids_[65'000] = 42;
  Expect(ErrorCode::kDuplicateId, {"arm 42 "});
}

TEST_F(FailedAddition, NamesTheIdThatIsGivenTwice) {
  ids_[69'000] = ids_[10];
  ids_[69'500] = ids_[9];
  Expect(ErrorCode::kDuplicateId, {"arm 1010 "});
}

TEST_F(FailedAddition, NamesWhatComesFirst) {
  ids_[40'000] = ids_[10];
  rows_[40'001 * kDim] = std::nanf("");
  Expect(ErrorCode::kDuplicateId, {"arm 1010 "});
  rows_[40'000 * kDim] = std::nanf("");
  Expect(ErrorCode::kInvalidArgument, {"row 40000 "});
}

TEST_F(FailedAddition, DoesNotDisturbTheNext) {
  ids_[40'000] = ids_[10];
  Expect(ErrorCode::kDuplicateId, {});
  ids_[40'000] = 123'456'789;
  EXPECT_EQ(store_.Add(ids_, rows_), untouched_.Add(ids_, rows_));
  EXPECT_EQ(store_.Ids(), untouched_.Ids());
}

}  // namespace
}  // namespace manyarms
