#include "service/engine/remembered.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace manyarms::service {
namespace {

struct Answer {
  std::uint64_t learner = 0;
  int value = 0;
  bool operator==(const Answer&) const = default;
};

using Ids = std::vector<std::pair<std::string, Answer>>;

Ids AllOf(const Remembered<Answer>& remembered) {
  Ids all;
  remembered.ForEach([&](const std::string& id, const Answer& answer) {
    all.emplace_back(id, answer);
  });
  return all;
}

TEST(Remembered, ForgetsTheOldest) {
  Remembered<Answer> remembered(2);
  EXPECT_EQ(remembered.FindOrAdd("a", {1, 1}), std::nullopt);
  EXPECT_EQ(remembered.FindOrAdd("b", {1, 2}), std::nullopt);
  EXPECT_EQ(remembered.FindOrAdd("a", {1, 3}), (Answer{1, 1}));
  EXPECT_EQ(remembered.FindOrAdd("c", {1, 4}), std::nullopt);
  EXPECT_EQ(remembered.Find("a"), std::nullopt);
  EXPECT_EQ(remembered.Find("b"), (Answer{1, 2}));
  EXPECT_EQ(remembered.Find("c"), (Answer{1, 4}));
}

TEST(Remembered, ChangesAndErases) {
  Remembered<Answer> remembered(10);
  for (int i = 0; i < 6; ++i) {
    remembered.FindOrAdd("id" + std::to_string(i),
                         {static_cast<std::uint64_t>(i % 2), i});
  }
  remembered.Set("id1", {1, 7});
  remembered.Set("unknown", {1, 7});
  remembered.Erase("id0");
  remembered.Erase("unknown");
  remembered.EraseOf(0);
  remembered.EraseOf(2);
  EXPECT_EQ(AllOf(remembered),
            (Ids{{"id1", {1, 7}}, {"id3", {1, 3}}, {"id5", {1, 5}}}));
  EXPECT_EQ(remembered.FindOrAdd("id0", {0, 9}), std::nullopt);
}

TEST(Remembered, IsTheSameAsAList) {
  constexpr std::size_t kMost = 20;
  Remembered<Answer> remembered(kMost);
  Ids list;
  const auto erase_if = [&](const auto& is) { std::erase_if(list, is); };
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed)
  for (int step = 0; step < 20'000; ++step) {
    const std::string id = std::to_string(random() % 40);
    const std::uint64_t learner = random() % 6;
    const auto found = std::ranges::find(list, id, &Ids::value_type::first);
    switch (random() % 8) {
      case 0:
        remembered.EraseOf(learner);
        erase_if(
            [&](const auto& one) { return one.second.learner == learner; });
        break;
      case 1:
        remembered.Erase(id);
        erase_if([&](const auto& one) { return one.first == id; });
        break;
      default:
        if (found == list.end()) list.emplace_back(id, Answer{learner, step});
        remembered.FindOrAdd(id, {learner, step});
        if (list.size() > kMost) list.erase(list.begin());
        break;
    }
    ASSERT_EQ(AllOf(remembered), list) << step;
  }
}

// If each walked over all, this would take a minute.
TEST(Remembered, ErasingOfALearnerCostsNoMoreThanItHas) {
  constexpr std::uint64_t kLearners = 100'000;
  Remembered<Answer> remembered(2 * kLearners);
  for (std::uint64_t i = 0; i < 2 * kLearners; ++i) {
    remembered.FindOrAdd(std::to_string(i), {i % kLearners, 0});
  }
  const auto start = std::chrono::steady_clock::now();
  // The latest first, so that what is left is walked over in vain.
  for (std::uint64_t i = kLearners; i > kLearners / 2; --i) {
    remembered.EraseOf(i - 1);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(AllOf(remembered).size(), kLearners);
}

}  // namespace
}  // namespace manyarms::service
