#include "service/engine/remembered.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace manyarms::service {
namespace {

TEST(Remembered, ForgetsTheOldest) {
  Remembered<int> remembered(2);
  EXPECT_EQ(remembered.FindOrAdd("a", 1), std::nullopt);
  EXPECT_EQ(remembered.FindOrAdd("b", 2), std::nullopt);
  EXPECT_EQ(remembered.FindOrAdd("a", 3), 1);
  EXPECT_EQ(remembered.FindOrAdd("c", 4), std::nullopt);
  EXPECT_EQ(remembered.Find("a"), std::nullopt);
  EXPECT_EQ(remembered.Find("b"), 2);
  EXPECT_EQ(remembered.Find("c"), 4);
}

TEST(Remembered, ChangesAndErases) {
  Remembered<int> remembered(10);
  for (int i = 0; i < 6; ++i) {
    remembered.FindOrAdd("id" + std::to_string(i), i);
  }
  remembered.Set("id1", 7);
  remembered.Set("unknown", 7);
  remembered.Erase("id0");
  remembered.Erase("unknown");
  remembered.EraseIf([](int answer) { return answer % 2 == 0; });
  std::vector<std::string> left;
  remembered.ForEach([&](const std::string& id, int answer) {
    left.push_back(id + '=' + std::to_string(answer));
  });
  EXPECT_EQ(left, (std::vector<std::string>{"id1=7", "id3=3", "id5=5"}));
  EXPECT_EQ(remembered.FindOrAdd("id0", 9), std::nullopt);
}

}  // namespace
}  // namespace manyarms::service
