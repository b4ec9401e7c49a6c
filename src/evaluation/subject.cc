#include "evaluation/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/check.h"

namespace manyarms {
namespace {

// Logs may be written with fewer digits than a float has.
constexpr float kFeatureTolerance = 1e-3F;

// Relative to the largest of the arm's, whatever unit features have.
void CheckSameFeatures(const LoggedChoice& choice, std::span<const float> now) {
  float scale = 0;
  for (const float value : now) scale = std::max(scale, std::abs(value));
  for (std::size_t j = 0; j < now.size(); ++j) {
    const float then = choice.features[j];
    if (!(std::abs(then - now[j]) <= kFeatureTolerance * scale)) {
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format("feature {} of the arm was {} when it was chosen, and is "
                      "{} among the arms given; evaluation needs the arms that "
                      "there were",
                      j, then, now[j]));
    }
  }
}

// What a Bandit and a Population do under different names.

void ObserveWith(Bandit& bandit, const LoggedChoice& choice) {
  if (choice.features.empty()) {
    bandit.Observe(choice.arm, choice.reward, choice.context);
  } else {
    bandit.Observe(choice.features, choice.reward, choice.context);
  }
}

void ObserveWith(Population& population, const LoggedChoice& choice) {
  if (choice.features.empty()) {
    population.Observe(choice.learner, choice.arm, choice.reward,
                       choice.context);
  } else {
    population.Observe(choice.learner, choice.features, choice.reward,
                       choice.context);
  }
}

std::vector<double> PredictWith(const Bandit& bandit,
                                const LoggedChoice& choice,
                                std::span<const ArmId> arms) {
  return bandit.Scores(arms, choice.context);
}

std::vector<double> PredictWith(const Population& population,
                                const LoggedChoice& choice,
                                std::span<const ArmId> arms) {
  return population.Scores(choice.learner, arms, choice.context);
}

Decision ChooseWith(Bandit& bandit, const LoggedChoice& choice) {
  return bandit.Choose({}, choice.context);
}

Decision ChooseWith(Population& population, const LoggedChoice& choice) {
  return population.Choose(choice.learner, {}, choice.context);
}

void LearnWith(Bandit& bandit, const LoggedChoice& choice,
               const Decision& decision) {
  bandit.Learn(decision.id, choice.reward);
}

void LearnWith(Population& population, const LoggedChoice& choice,
               const Decision& decision) {
  population.Learn(choice.learner, decision.id, choice.reward);
}

void DismissWith(Bandit& bandit, const LoggedChoice& /*choice*/,
                 const Decision& decision) {
  bandit.Dismiss(decision.id);
}

void DismissWith(Population& population, const LoggedChoice& choice,
                 const Decision& decision) {
  population.Dismiss(choice.learner, decision.id);
}

std::size_t PendingWith(const Bandit& bandit, const LearnerKey& /*learner*/) {
  return bandit.pending();
}

std::size_t PendingWith(const Population& population,
                        const LearnerKey& learner) {
  return population.Describe(learner).pending;
}

template <class Chooser>
class SubjectOf final : public Subject {
 public:
  explicit SubjectOf(const auto& options) : chooser_(options) {}

  void Add(std::span<const ArmId> ids, const FeatureRows& features) override {
    chooser_.Add(ids, features);
  }
  void Remove(std::span<const ArmId> ids) override { chooser_.Remove(ids); }
  void Update(std::span<const ArmId> ids,
              const FeatureRows& features) override {
    chooser_.Update(ids, features);
  }

  bool Contains(ArmId arm) const override { return chooser_.Contains(arm); }

  void Observe(const LoggedChoice& choice) override {
    ObserveWith(chooser_, choice);
  }
  std::vector<double> Predict(const LoggedChoice& choice,
                              std::span<const ArmId> arms) const override {
    return PredictWith(chooser_, choice, arms);
  }

  // Each decision makes place for the next one: a population with many learners
  // would keep as many for each of them.
  std::vector<ArmId> Draw(const LoggedChoice& choice,
                          std::size_t count) override {
    std::vector<ArmId> arms;
    arms.reserve(count);
    while (arms.size() < count) {
      const Decision decision = ChooseWith(chooser_, choice);
      DismissWith(chooser_, choice, decision);
      arms.push_back(decision.arm);
    }
    return arms;
  }

  bool Play(const LoggedChoice& choice) override {
    const Decision decision = ChooseWith(chooser_, choice);
    const bool matches = decision.arm == choice.arm;
    if (matches) {
      LearnWith(chooser_, choice, decision);
    } else {
      DismissWith(chooser_, choice, decision);
    }
    return matches;
  }

  std::size_t Pending(const LearnerKey& learner) const override {
    return PendingWith(chooser_, learner);
  }

 protected:
  Facts facts() const override {
    return {.catalogue = chooser_.catalogue(),
            .dim = chooser_.dim(),
            .negative_rewards = chooser_.options().negative_rewards,
            .rewards = chooser_.options().rewards};
  }

 private:
  Chooser chooser_;
};

std::unique_ptr<Subject> Make(const BanditOptions& options) {
  return std::make_unique<SubjectOf<Bandit>>(options);
}

std::unique_ptr<Subject> Make(const PopulationOptions& options) {
  return std::make_unique<SubjectOf<Population>>(options);
}

}  // namespace

bool Subject::IsRestricted(const LoggedChoice& choice) const {
  return choice.eligible != 0 && choice.eligible < facts().catalogue.size();
}

void Subject::Check(const LoggedChoice& choice) const {
  const Facts here = facts();
  CheckReward(choice.reward, here.rewards);
  if (!here.catalogue.Contains(choice.arm)) {
    throw Error(ErrorCode::kUnknownId,
                fmt::format("there is no arm {}", choice.arm));
  }
  const std::size_t arms = here.catalogue.size();
  if (choice.eligible == 0) {
    throw Error(ErrorCode::kInvalidArgument,
                "the log does not say how many arms were eligible");
  }
  if (choice.eligible != arms) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} arms were eligible, and there are {}: "
                            "evaluation needs the arms that there were",
                            choice.eligible, arms));
  }
  if (!choice.features.empty()) {
    CheckFeatures(choice.features, here.dim);
    std::vector<float> now = here.catalogue.Features(std::span(&choice.arm, 1));
    now.resize(here.dim);
    if (here.negative_rewards) {
      for (float& value : now) value *= std::numbers::sqrt2_v<float>;
    }
    CheckSameFeatures(choice, now);
  }
  Predict(choice, std::span(&choice.arm, 1));  // checks the context
}

std::unique_ptr<Subject> MakeSubject(const EvaluatedOptions& options) {
  return std::visit(
      [](auto chosen) {
        chosen.max_pending = 1;
        return Make(chosen);
      },
      options);
}

void AtLine(std::uint64_t line, const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("line {}: {}", line, error.what()));
  }
}

std::size_t LearnedOf(std::size_t choices, double learn_share) {
  if (!(learn_share >= 0 && learn_share < 1)) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("learn_share is {}, must be at least 0 and less than 1",
                    learn_share));
  }
  return static_cast<std::size_t>(learn_share * static_cast<double>(choices));
}

}  // namespace manyarms
