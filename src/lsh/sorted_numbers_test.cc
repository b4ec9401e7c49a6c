#include "lsh/sorted_numbers.h"

#include <set>

#include "testing.h"

namespace manyarms::lsh {
namespace {

std::vector<PointNumber> Content(const SortedNumbers& numbers) {
  std::vector<PointNumber> content;
  numbers.VisitPieces([&content](std::span<const PointNumber> piece) {
    EXPECT_LE(piece.size(), SortedNumbers::kMostInPiece);
    content.insert(content.end(), piece.begin(), piece.end());
    return true;
  });
  return content;
}

// The set grows to several pieces and shrinks again, twice.
TEST(SortedNumbers, AgreeWithAStandardSet) {
  SortedNumbers numbers;
  std::set<PointNumber> twin;
  RandomStream random(1, RandomStream::Role::kPick, 0);
  for (int step = 0; step < 40'000; ++step) {
    const bool grows = step / 10'000 % 2 == 0;
    const auto number = static_cast<PointNumber>(random.Below(6'000));
    if (twin.contains(number)) {
      if (grows && random.Below(4) != 0) continue;
      numbers.Erase(number);
      twin.erase(number);
    } else if (grows || random.Below(8) == 0) {
      numbers.Insert(number);
      twin.insert(number);
    }
    ASSERT_EQ(numbers.size(), twin.size());
    ASSERT_EQ(numbers.empty(), twin.empty());
    if (step % 500 == 0) {
      ASSERT_EQ(Content(numbers),
                std::vector<PointNumber>(twin.begin(), twin.end()));
    }
  }
  while (!twin.empty()) {
    numbers.Erase(*twin.begin());
    twin.erase(twin.begin());
    ASSERT_EQ(numbers.size(), twin.size());
  }
  EXPECT_TRUE(numbers.empty());
}

TEST(SortedNumbers, AreEqualHoweverTheyAreSplitIntoPieces) {
  constexpr PointNumber kCount = 3 * SortedNumbers::kMostInPiece;
  SortedNumbers up;
  SortedNumbers down;
  for (PointNumber n = 0; n < kCount; ++n) {
    up.Insert(n);
    down.Insert(kCount - 1 - n);
  }
  EXPECT_EQ(up, down);
  down.Erase(7);
  EXPECT_NE(up, down);
  down.Insert(kCount);
  EXPECT_NE(up, down);
}

TEST(SortedNumbers, StopWhenTheVisitorReturnsFalse) {
  SortedNumbers numbers;
  for (PointNumber n = 0; n < 2 * SortedNumbers::kMostInPiece; ++n) {
    numbers.Insert(n);
  }
  int pieces = 0;
  EXPECT_FALSE(numbers.VisitPieces([&pieces](std::span<const PointNumber>) {
    ++pieces;
    return false;
  }));
  EXPECT_EQ(pieces, 1);
}

}  // namespace
}  // namespace manyarms::lsh
