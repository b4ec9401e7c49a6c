#include "service/engine/served_arms.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "service/engine/tag_expression.h"
#include "testing.h"

namespace manyarms::service {
namespace {

using testing::ExpectError;

constexpr std::size_t kDim = 2;

ArmInfo Arm(const std::string& name, float value,
            std::vector<std::string> tags = {}) {
  return {.arm = name, .features = {value, 1}, .tags = std::move(tags)};
}

// The rows of the store's table of arms, by place.
using Table = std::map<std::uint32_t, ArmRow>;

void Write(const ArmsPut& change, Table& table) {
  for (const ArmRow& row : change.arms) table[row.place] = row;
}

void Write(const ArmsRemoved& change, Table& table) {
  for (const auto& [place, freed] : change.arms) {
    table[place] = {.place = place, .freed = freed};
  }
}

struct Served {
  explicit Served(bool named, const Limits& limits = {})
      : population({.dim = kDim}), arms(1, named, limits, population) {}

  void Restore(const Table& table) {
    const std::uint64_t places =
        table.empty() ? 0 : table.rbegin()->first + std::uint64_t{1};
    arms.Restore(places, [&](const ServedArms::Use& use) {
      for (const auto& [place, row] : table) use(ArmRow(row));
    });
  }

  Population population;
  ServedArms arms;
};

std::size_t CountOf(const std::vector<std::uint16_t>& lanes) {
  std::size_t count = 0;
  for (const std::uint16_t lane : lanes) {
    count += static_cast<std::size_t>(std::popcount(lane));
  }
  return count;
}

TEST(ServedArms, PutAddsAndChanges) {
  Served served(true);
  auto put =
      served.arms.PutArms({Arm("a", 1, {"x", "b", "x"}), Arm("c", 2)}, true);
  EXPECT_EQ(put.added, 2U);
  EXPECT_EQ(put.changed, 0U);
  ASSERT_EQ(put.change.arms.size(), 2U);
  EXPECT_EQ(put.change.arms[0].tags, (std::vector<std::string>{"b", "x"}));
  put = served.arms.PutArms({Arm("c", 3, {"b"}), Arm("d", 4), Arm("a", 1)},
                            false);
  EXPECT_EQ(put.added, 1U);
  EXPECT_EQ(put.changed, 2U);
  EXPECT_EQ(served.arms.size(), 3U);
  const ArmInfo changed = served.arms.Find("c");
  EXPECT_EQ(changed.features, (std::vector<float>{3, 1}));
  EXPECT_EQ(changed.tags, std::vector<std::string>{"b"});
  EXPECT_TRUE(served.arms.Find("a").tags.empty());
  EXPECT_EQ(served.arms.NameOf(served.arms.IdOf("d")), ArmName("d"));
}

TEST(ServedArms, WritesNothingForArmsThatAreAsTheyWere) {
  Served served(true);
  served.arms.PutArms({Arm("a", 1, {"x"}), Arm("b", 2)}, false);
  const auto put =
      served.arms.PutArms({Arm("a", 1, {"x"}), Arm("b", 3)}, false);
  EXPECT_EQ(put.changed, 1U);
  ASSERT_EQ(put.change.arms.size(), 1U);
  EXPECT_EQ(put.change.arms[0].name, "b");
}

TEST(ServedArms, AreUnchangedAfterAnError) {
  Limits limits;
  limits.arms = 3;
  limits.tags = 2;
  limits.text = 5;
  Served served(true, limits);
  served.arms.PutArms({Arm("a", 1, {"x"}), Arm("b", 2)}, false);
  const std::uint64_t before = served.arms.Digest();
  const auto refuses = [&](ErrorCode code, const std::string& part,
                           const std::vector<ArmInfo>& arms) {
    SCOPED_TRACE(part);
    std::vector<ArmInfo> all = {Arm("new", 1, {"tag"}), Arm("a", 9, {"y"})};
    all.insert(all.end(), arms.begin(), arms.end());
    ExpectError(code, {part}, [&] { served.arms.PutArms(all, false); });
    EXPECT_EQ(served.arms.Digest(), before);
    EXPECT_EQ(served.arms.Tags().size(), 1U);
  };
  const ErrorCode invalid = ErrorCode::kInvalidArgument;
  refuses(ErrorCode::kDuplicateId, "arm \"a\" is given twice", {Arm("a", 1)});
  refuses(invalid, "empty", {Arm("", 1)});
  refuses(invalid, "6 bytes long, at most 5", {Arm("aaaaaa", 1)});
  refuses(invalid, "not UTF-8", {Arm("\xff", 1)});
  refuses(invalid, "zero byte", {Arm(std::string("a\0b", 3), 1)});
  refuses(invalid, "have names", {{.arm = ArmId{3}, .features = {1, 1}}});
  refuses(invalid, "arm \"c\"", {{.arm = "c", .features = {1}}});
  refuses(invalid, "arm \"c\"", {Arm("c", 1e30F)});
  refuses(invalid, "number of tags", {Arm("c", 1, {"1", "2", "3"})});
  refuses(invalid, "a tag", {Arm("c", 1, {""})});
  refuses(invalid, "a tag", {Arm("c", 1, {"aaaaaa"})});
  try {
    served.arms.PutArms({Arm("c", 1), Arm("d", 2)}, false);
    FAIL() << "there are too many arms";
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.why(), Refusal::kTooMany);
    EXPECT_STREQ(refused.what(),
                 "there would be 4 arms, at most 3 are allowed");
  }
  try {
    served.arms.PutArms({Arm("c", 1), Arm("a", 2)}, true);
    FAIL() << "a is there";
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.why(), Refusal::kConflict);
  }
  ExpectError(ErrorCode::kUnknownId, {"no arm \"z\""}, [&] {
    served.arms.RemoveArms(std::vector<ArmName>{"a", "z"});
  });
  ExpectError(ErrorCode::kDuplicateId, {}, [&] {
    served.arms.RemoveArms(std::vector<ArmName>{"a", "a"});
  });
  EXPECT_EQ(served.arms.Digest(), before);
}

TEST(ServedArms, HaveNumbersOrNames) {
  Served served(false);
  served.arms.PutArms({{.arm = ArmId{~0ULL}, .features = {1, 2}}}, true);
  EXPECT_EQ(served.arms.IdOf(ArmId{~0ULL}), ~0ULL);
  EXPECT_EQ(served.arms.TextOf(~0ULL), "");
  ExpectError(ErrorCode::kInvalidArgument, {"numbers"},
              [&] { served.arms.IdOf("a"); });
  ExpectError(ErrorCode::kUnknownId, {"no arm 7"},
              [&] { served.arms.IdOf(ArmId{7}); });
}

TEST(ServedArms, ListsThemByPages) {
  Served served(true);
  std::vector<ArmInfo> arms;
  std::set<std::string> expected;
  for (int i = 0; i < 37; ++i) {
    arms.push_back(Arm(fmt::format("a{}", i), 1));
    expected.insert(fmt::format("a{}", i));
  }
  served.arms.PutArms(arms, true);
  served.arms.RemoveArms(std::vector<ArmName>{"a3", "a36", "a0"});
  for (const char* name : {"a0", "a3", "a36"}) expected.erase(name);
  std::multiset<std::string> listed;
  std::optional<std::uint64_t> from = 0;
  int pages = 0;
  while (from) {
    auto [page, next] = served.arms.List(*from, 10);
    EXPECT_LE(page.size(), 10U);
    for (const ArmInfo& arm : page) listed.insert(std::get<1>(arm.arm));
    from = next;
    ++pages;
  }
  EXPECT_EQ(pages, 4);
  EXPECT_EQ(listed,
            std::multiset<std::string>(expected.begin(), expected.end()));
}

// Random changes, against a map; from time to time the arms are restored from
// the store's rows.
TEST(ServedArms, AreThoseOfAMapAlsoAfterARestart) {
  for (const bool named : {true, false}) {
    std::mt19937 random(named ? 1 : 2);
    std::map<ArmName, std::pair<float, std::set<std::string>>> expected;
    Table table;
    auto served = std::make_unique<Served>(named);
    const auto name = [&]() -> ArmName {
      const std::uint64_t number = random() % 40;
      if (named) return fmt::format("arm {}", number);
      return ArmId{number};
    };
    for (int step = 0; step < 1500; ++step) {
      if (random() % 2 == 0) {
        ArmInfo arm{.arm = name(), .features = {1, 1}};
        arm.features[0] = static_cast<float>(random() % 3);
        for (const char* tag : {"x", "y", "z"}) {
          if (random() % 2 == 0) arm.tags.emplace_back(tag);
        }
        expected[arm.arm] = {arm.features[0],
                             {arm.tags.begin(), arm.tags.end()}};
        Write(served->arms.PutArms({arm}, false).change, table);
      } else if (const ArmName one = name(); expected.erase(one) > 0) {
        Write(served->arms.RemoveArms({&one, 1}), table);
      }
      if (step % 100 == 0) {
        const std::uint64_t digest = served->arms.Digest();
        served = std::make_unique<Served>(named);
        served->Restore(table);
        ASSERT_EQ(served->arms.Digest(), digest);
      }
      ASSERT_EQ(served->arms.size(), expected.size());
      if (step % 20 != 0) continue;
      const auto mask = served->arms.PlacesOf("x and not y or z");
      const auto without = served->arms.PlacesOf("not x");
      std::size_t expected_without = 0;
      for (const auto& [arm, info] : expected) {
        const ArmInfo found = served->arms.Find(arm);
        ASSERT_EQ(found.features[0], info.first);
        const auto& tags = info.second;
        ASSERT_EQ(found.tags,
                  std::vector<std::string>(tags.begin(), tags.end()));
        const ArmId id = served->arms.IdOf(arm);
        ASSERT_EQ(served->arms.NameOf(id), arm);
        const ArmPlace place =
            served->population.catalogue().Places({&id, 1}).front();
        const bool holds =
            (tags.contains("x") && !tags.contains("y")) || tags.contains("z");
        ASSERT_EQ(((*mask)[place / 16] >> (place % 16)) & 1, holds ? 1 : 0);
        if (!tags.contains("x")) ++expected_without;
      }
      // No place that is free counts.
      ASSERT_EQ(CountOf(*without), expected_without);
    }
  }
}

TEST(ServedArms, NeverGiveAnIdTwice) {
  Table table;
  std::set<ArmId> ids;
  auto served = std::make_unique<Served>(true);
  for (int round = 0; round < 6; ++round) {
    Write(served->arms.PutArms({Arm("a", 1), Arm("b", 1)}, true).change, table);
    for (const char* name : {"a", "b"}) {
      EXPECT_TRUE(ids.insert(served->arms.IdOf(name)).second);
    }
    Write(served->arms.RemoveArms(std::vector<ArmName>{"b", "a"}), table);
    served = std::make_unique<Served>(true);
    served->Restore(table);
  }
}

TEST(ServedArms, RefuseExpressionsThatCannotBeRead) {
  Served served(true);
  ExpectError(ErrorCode::kInvalidArgument, {"tags"},
              [&] { served.arms.PlacesOf("a and"); });
  EXPECT_TRUE(served.arms.PlacesOf("a")->empty());
}

}  // namespace
}  // namespace manyarms::service
