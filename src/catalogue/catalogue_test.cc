#include "manyarms/catalogue.h"

#include <atomic>
#include <cmath>
#include <thread>

#include "manyarms/bandit.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

FeatureRows Rows(const std::vector<float>& values, std::size_t dim) {
  return {values.data(),
          values.size() / dim,
          dim,
          {.row = static_cast<std::ptrdiff_t>(dim)}};
}

TEST(Catalogue, HoldsWhatWasAddedRemovedAndUpdated) {
  Catalogue catalogue(2);
  catalogue.Add(testing::FirstIds(3), Rows({1, 2, 3, 4, 5, 6}, 2));
  catalogue.Remove(1);
  catalogue.Update(std::vector<ArmId>{2}, Rows({7, 8}, 2));
  EXPECT_EQ(catalogue.Ids(), (std::vector<ArmId>{0, 2}));
  EXPECT_EQ(catalogue.Features(std::vector<ArmId>{2, 0}),
            (std::vector<float>{7, 8, 1, 2}));
  EXPECT_FALSE(catalogue.Contains(1));
  EXPECT_EQ(catalogue.size(), 2U);
}

TEST(Catalogue, ChangesAllOrNone) {
  Catalogue catalogue(2);
  catalogue.Add(testing::FirstIds(3), Rows({1, 2, 3, 4, 5, 6}, 2));
  ExpectError(ErrorCode::kUnknownId, {"9"}, [&] {
    catalogue.Remove(std::vector<ArmId>{0, 9});
  });
  ExpectError(ErrorCode::kDuplicateId, {"0"}, [&] {
    catalogue.Remove(std::vector<ArmId>{0, 1, 0});
  });
  ExpectError(ErrorCode::kInvalidArgument, {"nan"}, [&] {
    catalogue.Update(std::vector<ArmId>{0, 1}, Rows({9, 9, NAN, 9}, 2));
  });
  ExpectError(ErrorCode::kUnknownId, {"9"}, [&] {
    catalogue.Update(std::vector<ArmId>{0, 9}, Rows({9, 9, 9, 9}, 2));
  });
  EXPECT_EQ(catalogue.size(), 3U);
  EXPECT_EQ(catalogue.Features(std::vector<ArmId>{0}),
            (std::vector<float>{1, 2}));
}

// Readers see each arm whole, whatever a bandit does to its arms meanwhile.
TEST(Catalogue, IsReadByThreadsWhileABanditChangesIt) {
  constexpr std::size_t kDim = 32;
  constexpr ArmId kKept = 200;
  Bandit bandit({.dim = kDim});
  const auto row = [](ArmId value) {
    return std::vector<float>(kDim, static_cast<float>(value));
  };
  for (ArmId id = 0; id < kKept; ++id) bandit.Add(id, row(id % 10));
  std::atomic<bool> done = false;
  std::atomic<std::uint64_t> torn = 0;
  std::atomic<std::uint64_t> read = 0;
  const auto reader = [&] {
    const Catalogue& catalogue = bandit.catalogue();
    while (!done) {
      const ArmId id = read++ % kKept;
      const std::vector<float> features = catalogue.Features(std::span(&id, 1));
      for (const float value : features) {
        if (value != features.front()) ++torn;
      }
      if (catalogue.size() < kKept || !catalogue.Contains(id)) ++torn;
    }
  };
  std::thread one(reader);
  std::thread other(reader);
  for (ArmId t = 0; t < 3000 || read < 1000; ++t) {
    bandit.Add(kKept + t, row(t % 7));
    const ArmId changed = t % kKept;
    const std::vector<float> features = row(t % 10);
    bandit.Update(std::span(&changed, 1),
                  FeatureRows(features.data(), 1, kDim, {}));
    bandit.Learn(bandit.Choose(), 0.5);
    bandit.Remove(kKept + t);
  }
  done = true;
  one.join();
  other.join();
  EXPECT_EQ(torn, 0U);
}

// Several arms go at once: readers see all of them or none.
template <class Arms>
void ExpectWholeRemovals(Arms& arms, const Catalogue& catalogue) {
  constexpr std::size_t kArms = 64;
  const std::vector<ArmId> ids = testing::FirstIds(kArms);
  const std::vector<float> rows = testing::GaussianRows(kArms, 1, 1);
  std::atomic<bool> done = false;
  std::atomic<std::uint64_t> read = 0;
  std::uint64_t halves = 0;
  std::thread reader([&] {
    for (; !done; ++read) {
      const std::size_t size = catalogue.Ids().size();
      if (size != 0 && size != kArms) ++halves;
    }
  });
  for (int t = 0; t < 5000 || read < 5000; ++t) {
    arms.Add(ids, Rows(rows, 1));
    arms.Remove(ids);
  }
  done = true;
  reader.join();
  EXPECT_EQ(halves, 0U);
}

TEST(Catalogue, IsReadByThreadsBeforeOrAfterARemoval) {
  Catalogue catalogue(1);
  ExpectWholeRemovals(catalogue, catalogue);
}

TEST(Catalogue, IsReadByThreadsBeforeOrAfterARemovalFromABandit) {
  Bandit bandit({.dim = 1});
  ExpectWholeRemovals(bandit, bandit.catalogue());
}

// Readers look arms up while the table of the look-up is replaced.
TEST(Catalogue, IsReadByThreadsWhileRoomIsMade) {
  constexpr std::size_t kArms = 20'000;
  const std::vector<ArmId> ids = testing::FirstIds(kArms);
  const std::vector<float> rows = testing::GaussianRows(kArms, 1, 1);
  std::uint64_t missed = 0;
  for (int round = 0; round < 20; ++round) {
    Catalogue catalogue(1);
    catalogue.Add(ids, Rows(rows, 1));
    std::atomic<bool> done = false;
    std::atomic<std::uint64_t> read = 0;
    std::thread reader([&] {
      while (!done) {
        if (!catalogue.Contains(read++ % kArms)) ++missed;
      }
    });
    for (std::size_t room = 2 * kArms; room <= 32 * kArms; room *= 2) {
      for (const std::uint64_t before = read; read < before + 100;) {
        std::this_thread::yield();
      }
      catalogue.Reserve(room);
    }
    done = true;
    reader.join();
  }
  EXPECT_EQ(missed, 0U);
}

}  // namespace
}  // namespace manyarms
