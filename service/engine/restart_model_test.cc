// A bandit that is started again and again does what its twin does, which never
// stops.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "service/engine/bandit_fixture.h"

namespace manyarms::service {
namespace {

constexpr std::size_t kDim = 3;

// What came of an operation, as a text to compare.
std::string OutcomeOf(const std::function<std::string()>& operation) {
  try {
    return operation();
  } catch (const Refused& refused) {
    return fmt::format("refused {}: {}", static_cast<int>(refused.why()),
                       refused.what());
  } catch (const Error& error) {
    return fmt::format("error {}: {}", static_cast<int>(error.code()),
                       error.what());
  }
}

std::string TextOf(const ChoiceAnswer& answer) {
  std::string text =
      fmt::format("{} {} {}", answer.first, answer.count, answer.repeated);
  for (const DecisionRow& row : answer.decisions) {
    text += fmt::format("; {} '{}' {} of {} among {}: {} {} {} {}", row.arm,
                        row.arm_name, row.number, row.learner, row.eligible,
                        row.score, row.uniform, row.probability.value_or(-1),
                        row.policy_arm.value_or(999));
  }
  return text;
}

std::string TextOf(const RewardAnswer& answer) {
  return fmt::format("{} {} '{}'", answer.decision, answer.learned,
                     answer.reason);
}

// Random operations on both.
class Twins {
 public:
  Twins(const std::filesystem::path& folder, const Settings& settings,
        unsigned seed)
      : settings_(settings),
        restarted_(folder / "restarted", settings),
        steady_(folder / "steady", settings),
        random_(seed) {
    AddArms();
    AddArms();
  }

  void Step() {
    switch (Below(40)) {
      case 0:
        return AddArms();
      case 1:
        return RemoveArms();
      case 2:
        return Observe();
      case 3:
        return Pass();
      case 4:
        return Rarely();
      case 5:
        return Close();
      default:
        return Below(2) == 0 ? Choose() : Reward();
    }
  }

  void Restart() {
    if (Below(2) == 0) {
      restarted_.KillAndRestart();
    } else {
      restarted_.Restart();
      steady_->SaveLearners(true);
    }
    // Decisions that were closed without a trace are closed again.
    Both([](World& world) {
      world->Expire(world.now());
      return world->Digest();
    });
  }

 private:
  std::size_t Below(std::size_t bound) { return random_() % bound; }
  double Value() { return static_cast<double>(Below(1000)) / 1000; }

  std::string Both(const std::function<std::string(World&)>& operation) {
    const std::string expected = OutcomeOf([&] { return operation(steady_); });
    EXPECT_EQ(OutcomeOf([&] { return operation(restarted_); }), expected);
    return expected;
  }

  ArmName Arm(std::size_t number) const {
    if (settings_.named_arms) return fmt::format("arm {}", number);
    return ArmId{number};
  }
  // It may not be there.
  ArmName AnyArm() { return Arm(Below(next_arm_)); }
  std::string Learner() {
    const std::size_t number = Below(6);
    return number == 0 ? "" : fmt::format("learner {}", number);
  }
  std::vector<float> Context() {
    std::vector<float> context(settings_.population.context_dim);
    for (float& value : context) value = static_cast<float>(Value());
    return context;
  }

  void AddArms() {
    std::vector<ArmInfo> arms;
    for (std::size_t i = Below(4); i < 4; ++i) {
      const std::size_t number = Below(3) == 0 ? Below(next_arm_) : next_arm_++;
      std::vector<std::string> tags;
      if (Below(2) == 0) tags.emplace_back("red");
      if (Below(3) == 0) tags.emplace_back("new");
      arms.push_back({.arm = Arm(number),
                      .features = FeaturesOf(number + 7 * Below(2), kDim),
                      .tags = tags});
    }
    Both([&](World& world) {
      const auto put = world->PutArms(arms, false);
      return fmt::format("{} {}", put.added, put.changed);
    });
  }

  void RemoveArms() {
    std::vector<ArmName> arms = {AnyArm()};
    if (Below(2) == 0) arms.push_back(AnyArm());
    Both([&](World& world) {
      world->RemoveArms(arms);
      return "removed";
    });
  }

  void Choose() {
    ChoiceRequest request{.learner = Learner(), .context = Context()};
    if (Below(4) == 0) {
      request.slate = true;
      request.count = 1 + Below(3);
    }
    if (Below(5) == 0) {
      request.tags = Below(2) == 0 ? "red and not new" : "not red";
    } else if (Below(5) == 0) {
      request.arms = {AnyArm(), AnyArm(), AnyArm()};
    }
    if (Below(3) == 0) request.event = fmt::format("e{}", Below(60));
    request.active = Below(4) != 0;
    request.own_arm = AnyArm();
    Sequence first = 0;
    std::uint32_t count = 0;
    Both([&](World& world) {
      const ChoiceAnswer answer = world->Choose(request);
      first = answer.first;
      count = answer.count;
      return TextOf(answer);
    });
    for (std::uint32_t i = 0; i < count; ++i) decisions_.push_back(first + i);
  }

  Sequence AnyDecision() {
    if (decisions_.empty()) return 1;
    // Most often one of the latest.
    const std::size_t back =
        Below(Below(4) == 0 ? decisions_.size()
                            : std::min<std::size_t>(decisions_.size(), 10));
    return decisions_[decisions_.size() - 1 - back];
  }

  void Reward() {
    RewardRequest request{.decision = AnyDecision(), .reward = Value()};
    if (Below(8) == 0) {
      request.decision = 0;
      request.event = fmt::format("e{}", Below(60));
    }
    if (Below(4) == 0) request.id = fmt::format("r{}", next_id_ - Below(3));
    if (Below(4) == 0) ++next_id_;
    Both([&](World& world) { return TextOf(world->Reward(request)); });
  }

  void Close() {
    const Sequence decision = AnyDecision();
    const bool dismisses = Below(2) == 0;
    Both([&](World& world) {
      return TextOf(dismisses ? world->Dismiss(decision, "")
                              : world->Activate(decision, ""));
    });
  }

  void Observe() {
    const std::string learner = Learner();
    const std::vector<float> context = Context();
    const double reward = Value();
    const bool of_features = Below(2) == 0;
    const ArmName arm = AnyArm();
    const std::vector<float> features = FeaturesOf(Below(100), kDim);
    Both([&](World& world) {
      if (of_features) {
        world->Observe(learner, std::nullopt, features, context, reward);
      } else {
        world->Observe(learner, arm, {}, context, reward);
      }
      return "observed";
    });
  }

  void Pass() {
    const auto seconds = static_cast<double>(Below(40));
    const bool saves = Below(2) == 0;
    Both([&](World& world) {
      world.Advance(seconds);
      world->Expire(world.now());
      if (saves) world->SaveLearners(true);
      return "passed";
    });
  }

  void Rarely() {
    const std::size_t what = Below(6);
    const std::string learner = Learner();
    const std::string snapshot = fmt::format("s{}", Below(3));
    Semantics semantics = settings_.semantics;
    semantics.reward_wait = 20 + 30 * static_cast<double>(Below(2));
    if (Below(2) == 0) semantics.default_reward = 0.25;
    semantics.aggregation = std::array{Aggregation::kFirst, Aggregation::kSum,
                                       Aggregation::kLast}[Below(3)];
    semantics.mode = Below(3) == 0 ? Mode::kApprentice : Mode::kServe;
    Both([&](World& world) -> std::string {
      if (what == 0) {
        world->ForgetLearner(learner);
      } else if (what == 1) {
        world->RestoreSnapshot(snapshot);
      } else if (what == 2) {
        world->DeleteSnapshot(snapshot);
      } else if (what == 3) {
        world->Change([&](const Settings&) { return semantics; });
      } else {
        world->TakeSnapshot(snapshot);
      }
      return "done";
    });
  }

  const Settings settings_;
  World restarted_;
  World steady_;
  std::mt19937 random_;
  std::size_t next_arm_ = 1;
  std::size_t next_id_ = 10;
  std::vector<Sequence> decisions_;
};

// NOLINTNEXTLINE(misc-multiple-inheritance): as GoogleTest has it
class RestartModel : public testing::InAFolder,
                     public ::testing::WithParamInterface<std::string> {};

TEST_P(RestartModel, IsAsItsTwin) {
  const Settings settings = ParseSettings(GetParam());
  for (unsigned seed = 1; seed <= 2 && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Twins twins(folder_ / fmt::format("{}", seed), settings, seed);
    std::mt19937 random(seed);
    for (int step = 0; step < 250 && !HasFailure(); ++step) {
      SCOPED_TRACE(fmt::format("step {}", step));
      twins.Step();
      if (random() % 30 == 0) twins.Restart();
    }
    twins.Restart();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Settings, RestartModel,
    ::testing::Values(
        R"({"dim":3,"reward_wait":30,"default_reward":0})",
        R"({"dim":3,"reward_wait":30,"explore_uniform":0.3,"arms":"numbers",
            "max_pending":5,"seed":9})",
        R"({"dim":3,"reward_wait":30,"context_dim":2,"aggregation":"sum",
            "forgetting":0.97,"probability_draws":10,"explore_uniform":0.1})",
        R"({"dim":3,"reward_wait":30,"policy":"ucb","rewards":"clicks",
            "aggregation":"last"})",
        R"({"dim":3,"reward_wait":30,"mode":"apprentice","default_reward":0.5,
            "explore_uniform":0.2})"));

}  // namespace
}  // namespace manyarms::service
