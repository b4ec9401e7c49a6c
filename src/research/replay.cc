#include "research/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace manyarms {
namespace {

[[noreturn]] void Refuse(ErrorCode code, const std::string& message) {
  throw Error(code, message);
}

template <class Learner>
inline constexpr bool kIsPopulation = std::is_same_v<Learner, Population>;

// Lets a bandit or a population learn from one event after another.
template <class Learner>
class Teacher {
 public:
  Teacher(Learner& learner, Names& names)
      : learner_(learner),
        names_(names),
        has_names_(names.given() > 0),
        may_name_(learner.size() == 0 || has_names_) {}

  void Teach(PastEvent& event, ProgressiveScore& score) {
    switch (event.kind) {
      case PastEvent::Kind::kArm:
        Set(NewNumber(*event.arm), event.features);
        known_until_[*event.arm] = kForGood;
        return;
      case PastEvent::Kind::kArmRemoved:
        Remove(*event.arm);
        known_until_[*event.arm] = kForGood;
        return;
      case PastEvent::Kind::kReward:
        break;
    }
    CheckLearner(event);
    if (event.features.empty()) {
      const ArmId arm = Number(*event.arm);
      event.features = learner_.Features({&arm, 1});
    } else if (event.arm) {
      SetIfNewer(*event.arm, event);
    }
    if constexpr (kIsPopulation<Learner>) {
      const LearnerKey& key = *event.learner;
      const double predicted =
          learner_.Predict(key, event.features, event.context);
      learner_.Observe(key, event.features, event.reward, event.context);
      score.Add(predicted, event.reward);
    } else {
      const double predicted = learner_.Predict(event.features, event.context);
      learner_.Observe(event.features, event.reward, event.context);
      score.Add(predicted, event.reward);
    }
  }

 private:
  static void CheckLearner(const PastEvent& event) {
    if (event.learner.has_value() == kIsPopulation<Learner>) return;
    Refuse(ErrorCode::kInvalidArgument,
           event.learner ? "the event has a learner, but a single bandit learns"
                         : "the event has no learner, but a population learns");
  }

  // Texts are names; where arms have no names, they are refused.
  void CheckKind(const LoggedArm& arm) const {
    const bool is_name = std::holds_alternative<std::string>(arm);
    if (is_name && !may_name_) {
      Refuse(ErrorCode::kInvalidArgument,
             fmt::format(R"(the event is of arm "{}", but arms have numbers )"
                         "here and no names",
                         std::get<std::string>(arm)));
    }
    if (!is_name && has_names_) {
      Refuse(ErrorCode::kInvalidArgument,
             fmt::format("the event is of arm {}, but arms have names here",
                         std::get<ArmId>(arm)));
    }
  }

  ArmId Number(const LoggedArm& arm) const {
    CheckKind(arm);
    if (const auto* id = std::get_if<ArmId>(&arm)) return *id;
    return names_.At(std::get<std::string>(arm));
  }

  ArmId NewNumber(const LoggedArm& arm) {
    CheckKind(arm);
    if (const auto* id = std::get_if<ArmId>(&arm)) {
      may_name_ = false;
      return *id;
    }
    has_names_ = true;
    return names_.Add(std::get<std::string>(arm));
  }

  void Set(ArmId arm, std::span<const float> features) {
    if (!learner_.Contains(arm)) {
      learner_.Add(arm, features);
      return;
    }
    const std::vector<float> now = learner_.Features({&arm, 1});
    if (std::ranges::equal(now, features)) return;
    const FeatureRows row(features.data(), 1, features.size(), {.row = 0});
    learner_.Update({&arm, 1}, row);
  }

  // A reward may come after its arm was updated or removed, and then brings the
  // features along that the arm had when it was chosen. The arm stays as it is.
  void SetIfNewer(const LoggedArm& arm, const PastEvent& event) {
    CheckKind(arm);
    std::uint64_t& known_until = known_until_[arm];
    if (event.line <= known_until) return;
    Set(NewNumber(arm), event.features);
    known_until = event.line;
  }

  // A log may begin with arms that it does not name.
  bool IsNew(const LoggedArm& arm) const {
    if (known_until_.contains(arm)) return false;
    const auto* name = std::get_if<std::string>(&arm);
    return name != nullptr ? !names_.Contains(*name)
                           : !learner_.Contains(std::get<ArmId>(arm));
  }

  void Remove(const LoggedArm& arm) {
    CheckKind(arm);
    if (IsNew(arm)) return;
    const ArmId id = Number(arm);
    learner_.Remove(id);
    if (has_names_) names_.Remove(id);
  }

  Learner& learner_;
  Names& names_;
  bool has_names_;  // arms have names
  bool may_name_;   // arms have names, or there are none yet

  // The line by which an arm is as it is. Once there are events of the arm
  // itself, they alone say how it is.
  static constexpr auto kForGood = std::numeric_limits<std::uint64_t>::max();
  std::unordered_map<LoggedArm, std::uint64_t> known_until_;
};

template <class Learner>
void TeachAll(PastEvents& events, Learner& learner, Names& names,
              const std::function<void(double)>& progress,
              LearningResult& result) {
  constexpr std::uint64_t kBetweenReports = 1024;
  Teacher<Learner> teacher(learner, names);
  std::uint64_t taught = 0;
  for (PastEvent event; events.Next(event);) {
    events.Named([&] { teacher.Teach(event, result.score); });
    if (progress && ++taught % kBetweenReports == 0) {
      progress(events.Progress());
    }
  }
  if constexpr (kIsPopulation<Learner>) result.learners = learner.learners();
}

bool LearnsClicks(const Pupil& pupil) {
  return std::visit(
      [](const auto& learner) {
        return learner.options().rewards == RewardModel::kClicks;
      },
      pupil.learner);
}

}  // namespace

std::size_t Pupil::arms() const {
  return std::visit([](const auto& one) { return one.size(); }, learner);
}

LearningResult LearnFrom(PastEvents& events, Pupil& pupil,
                         const std::function<void(double)>& progress) {
  using Clock = std::chrono::steady_clock;
  LearningResult result{.score = ProgressiveScore(LearnsClicks(pupil))};
  const Clock::time_point start = Clock::now();
  std::visit(
      [&](auto& learner) {
        TeachAll(events, learner, pupil.names, progress, result);
      },
      pupil.learner);
  result.without_reward = events.without_reward();
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

std::vector<ExpectedReward> BestArms(const Pupil& pupil, std::size_t count) {
  const auto* bandit = std::get_if<Bandit>(&pupil.learner);
  if (bandit == nullptr || bandit->options().context_dim > 0) return {};
  const std::vector<ArmId> ids = bandit->Ids();
  const std::vector<double> rewards = bandit->Scores(ids);
  std::vector<ExpectedReward> arms(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) arms[i] = {ids[i], rewards[i]};
  const auto best =
      arms.begin() + static_cast<std::ptrdiff_t>(std::min(count, arms.size()));
  std::ranges::partial_sort(arms, best, {}, [](const ExpectedReward& arm) {
    return std::tuple(-arm.reward, arm.arm);
  });
  arms.erase(best, arms.end());
  return arms;
}

}  // namespace manyarms
