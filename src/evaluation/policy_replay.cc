#include <fmt/format.h>

#include <vector>

#include "evaluation/choice_order.h"
#include "evaluation/subject.h"
#include "manyarms/error.h"
#include "manyarms/evaluation.h"

namespace manyarms {

struct PolicyReplay::State {
  explicit State(const ReplayOptions& given)
      : options(given), subject(MakeSubject(given.policy)) {
    // Checks the level before any work.
    MeanReward(std::vector<double>{0, 0}, options.level);
  }

  const ReplayOptions options;
  const std::unique_ptr<Subject> subject;
  std::size_t offered = 0;
  std::size_t passed_over = 0;
  std::size_t restricted = 0;
  std::vector<double> rewards;  // of matches
};

PolicyReplay::PolicyReplay(const ReplayOptions& options)
    : state_(std::make_unique<State>(options)) {}
PolicyReplay::~PolicyReplay() = default;
PolicyReplay::PolicyReplay(PolicyReplay&&) noexcept = default;
PolicyReplay& PolicyReplay::operator=(PolicyReplay&&) noexcept = default;

void PolicyReplay::Add(std::span<const ArmId> ids,
                       const FeatureRows& features) {
  state_->subject->Add(ids, features);
}

void PolicyReplay::Remove(std::span<const ArmId> ids) {
  state_->subject->Remove(ids);
}

void PolicyReplay::Update(std::span<const ArmId> ids,
                          const FeatureRows& features) {
  state_->subject->Update(ids, features);
}

bool PolicyReplay::Contains(ArmId arm) const {
  return state_->subject->Contains(arm);
}

void PolicyReplay::Observe(const LoggedChoice& reward) {
  AtLine(reward.line, [&] { state_->subject->Observe(reward); });
}

bool PolicyReplay::Offer(const LoggedChoice& choice) {
  State& state = *state_;
  if (!choice.uniform) {
    ++state.passed_over;
    return false;
  }
  if (state.subject->IsRestricted(choice)) {
    ++state.restricted;
    return false;
  }
  bool matches = false;
  AtLine(choice.line, [&] {
    state.subject->Check(choice);
    matches = state.subject->Play(choice);
  });
  ++state.offered;
  if (matches) state.rewards.push_back(choice.reward);
  return matches;
}

ReplayResult PolicyReplay::Result() const {
  const State& state = *state_;
  if (state.rewards.size() < 2) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the policy agreed with {} of {} uniform choices "
                            "from all arms, an interval needs at least 2",
                            state.rewards.size(), state.offered));
  }
  return {.offered = state.offered,
          .matches = state.rewards.size(),
          .passed_over = state.passed_over,
          .restricted = state.restricted,
          .reward = MeanReward(state.rewards, state.options.level)};
}

ReplayResult Replay(std::span<const LoggedChoice> choices,
                    const FixedArms& arms, const ReplayOptions& options,
                    const EvaluationProgress& progress) {
  PolicyReplay replay(options);
  replay.Add(arms.ids, arms.features);
  const std::vector<const LoggedChoice*> order = InOrder(choices);
  for (std::size_t i = 0; i < order.size(); ++i) {
    replay.Offer(*order[i]);
    if (progress) {
      progress(static_cast<double>(i + 1) / static_cast<double>(order.size()));
    }
  }
  return replay.Result();
}

}  // namespace manyarms
