// Many threads use one bandit, which afterwards is restored from its store.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "manyarms/error.h"
#include "service/engine/bandit_fixture.h"

namespace manyarms::service {
namespace {

using ServedBanditThreads = testing::InAFolder;

constexpr std::size_t kDim = 3;

void OnThreads(unsigned threads, const std::function<void(unsigned)>& work) {
  std::vector<std::jthread> all;
  // NOLINTNEXTLINE(performance-inefficient-vector-operation)
  for (unsigned i = 0; i < threads; ++i) all.emplace_back(work, i);
}

// What may fail because another thread was faster.
void Try(const std::function<void()>& work) {
  try {
    work();
  } catch (const Refused& refused) {
    EXPECT_TRUE(refused.why() == Refusal::kNotFound ||
                refused.why() == Refusal::kConflict ||
                refused.why() == Refusal::kUnavailable)
        << refused.what();
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::kUnknownId ||
                error.code() == ErrorCode::kNoArms)
        << error.what();
  }
}

void ChangeArms(World& world, std::mt19937& random) {
  const std::string name = fmt::format("x{}", random() % 8);
  if (random() % 2 == 0) {
    Try([&] { world->RemoveArms({name}); });
  } else {
    Try([&] {
      world->PutArms({{.arm = name,
                       .features = FeaturesOf(random() % 50, kDim),
                       .tags = {"extra"}}},
                     false);
    });
  }
}

void Play(World& world, unsigned thread, std::atomic<Sequence>& latest) {
  std::mt19937 random(thread);
  for (int step = 0; step < 400; ++step) {
    const std::string learner = fmt::format("u{}", random() % 5);
    switch (random() % 12) {
      case 0:
        ChangeArms(world, random);
        break;
      case 1:
        Try([&] { world->Observe(learner, "a1", {}, {}, 0.5); });
        break;
      case 2:
        world.Advance(0.5);
        world->Expire(world.now());
        break;
      case 3:
        Try([&] { world->Choose({.learner = learner, .tags = "extra"}); });
        break;
      case 4:
        if (step % 20 == 0) Try([&] { world->ForgetLearner(learner); });
        if (step % 20 == 1) world->SaveLearners(true);
        Try([&] { world->Predict(learner, {}, 3, {}); });
        world->stats();
        break;
      case 5:
      case 6:
      case 7:
        Try([&] {
          latest = world
                       ->Choose({.learner = learner,
                                 .event = fmt::format("e{}", random() % 999)})
                       .first;
        });
        break;
      default:
        Try([&] {
          world->Reward(
              {.decision = std::max<Sequence>(latest, 10) - random() % 9,
               .reward = 0.1 * static_cast<double>(random() % 10)});
        });
    }
  }
}

TEST_F(ServedBanditThreads, NothingIsShortWhileArmsAreChanged) {
  World world(folder_, ParseSettings(R"({"dim":3})"));
  world->PutArms(SomeArms(10, kDim), true);
  const Sequence decision = world->Choose({}).first;
  std::vector<ArmInfo> arms = SomeArms(50'000, kDim);
  std::atomic<bool> ended = false;
  std::jthread change([&] {
    world->PutArms(std::move(arms), false);
    ended = true;
  });
  bool was_long = false;
  bool was_closed = false;
  while (!ended && !(was_long && was_closed)) {
    was_long = was_long || !world->IsShort({});
    was_closed = was_closed || !world->IsOpen(decision, "");
  }
  change.join();
  EXPECT_TRUE(was_long);
  EXPECT_TRUE(was_closed);
  EXPECT_TRUE(world->IsShort({}));
  EXPECT_TRUE(world->IsOpen(decision, ""));
}

TEST_F(ServedBanditThreads, LeaveAStateThatIsRestored) {
  World world(folder_, ParseSettings(
                           R"({"dim":3,"reward_wait":20,"default_reward":0,
                               "explore_uniform":0.1})"));
  world->PutArms(SomeArms(10, kDim), true);
  std::atomic<Sequence> latest = 100;
  OnThreads(4, [&](unsigned thread) { Play(world, thread, latest); });
  world->Expire(world.now());
  const std::string digest = world->Digest();
  world.KillAndRestart();
  world->Expire(world.now());
  EXPECT_EQ(world->Digest(), digest);
  EXPECT_GT(world->stats().learners, 0U);
}

TEST_F(ServedBanditThreads, GetOneAnswerForOneEvent) {
  World world(folder_, ParseSettings(R"({"dim":3})"));
  world->PutArms(SomeArms(10, kDim), true);
  for (int round = 0; round < 30; ++round) {
    const std::string event = fmt::format("e{}", round);
    std::vector<ChoiceAnswer> answers(4);
    OnThreads(4, [&](unsigned thread) {
      answers[thread] = world->Choose({.learner = "u", .event = event});
    });
    std::size_t made = 0;
    std::set<Sequence> firsts;
    for (const ChoiceAnswer& answer : answers) {
      if (!answer.repeated) ++made;
      firsts.insert(answer.first);
    }
    EXPECT_EQ(made, 1U);
    EXPECT_EQ(firsts.size(), 1U);
  }
  EXPECT_EQ(world->FindLearner("u").info.choices, 30U);
}

TEST_F(ServedBanditThreads, LearnOneOfSeveralRewards) {
  World world(folder_, ParseSettings(R"({"dim":3})"));
  world->PutArms(SomeArms(10, kDim), true);
  for (int round = 0; round < 15; ++round) {
    const Sequence decision = world->Choose({.learner = "u"}).first;
    std::atomic<int> learned = 0;
    OnThreads(4, [&](unsigned thread) {
      if (thread == 3) {
        world->SaveLearners(true);
      } else if (world->Reward({.decision = decision, .reward = 1}).learned) {
        ++learned;
      }
    });
    EXPECT_EQ(learned, 1);
  }
  EXPECT_EQ(world->FindLearner("u").info.rewards, 15U);
}

TEST_F(ServedBanditThreads, ChangeSettingsWithoutUndoingOthersChanges) {
  World world(folder_, ParseSettings(R"({"dim":3,"reward_wait":1000})"));
  constexpr int kChanges = 50;
  OnThreads(2, [&](unsigned thread) {
    for (int i = 1; i <= kChanges; ++i) {
      world->Change([&](const Settings& present) {
        Semantics semantics = present.semantics;
        semantics.reward_wait += 1;
        std::this_thread::yield();
        return ParseChanges(
            thread == 0 ? fmt::format(R"({{"default_reward":{}}})", i)
                        : fmt::format(R"({{"probability_draws":{}}})", i),
            {.population = present.population, .semantics = semantics});
      });
    }
  });
  Semantics expected;
  expected.reward_wait = 1000 + 2 * kChanges;
  expected.default_reward = kChanges;
  expected.probability_draws = kChanges;
  EXPECT_EQ(world->settings().semantics, expected);
  world.KillAndRestart();
  EXPECT_EQ(world->settings().semantics, expected);
}

TEST_F(ServedBanditThreads, TakeSnapshotsAndGoBack) {
  World world(folder_, ParseSettings(R"({"dim":3,"reward_wait":20})"));
  world->PutArms(SomeArms(10, kDim), true);
  std::atomic<Sequence> latest = 100;
  OnThreads(3, [&](unsigned thread) {
    if (thread != 0) return Play(world, thread, latest);
    for (int i = 0; i < 8; ++i) {
      Try([&] { world->TakeSnapshot(fmt::format("s{}", i)); });
      if (i % 2 == 1) {
        Try([&] { world->RestoreSnapshot(fmt::format("s{}", i / 2)); });
      }
    }
  });
  world->Expire(world.now());
  const std::string digest = world->Digest();
  world.KillAndRestart();
  world->Expire(world.now());
  EXPECT_EQ(world->Digest(), digest);
}

}  // namespace
}  // namespace manyarms::service
