#include "manyarms/bandit.h"

#include <fmt/format.h>

#include <numbers>

#include "base/check.h"

namespace manyarms {
namespace {

// Section 6: x to [x/sqrt 2, sqrt 2/2], r to r/2 + 1/2.
constexpr auto kHalfRoot = std::numbers::sqrt2_v<float> / 2;

std::vector<float> Extend(std::span<const float> features) {
  std::vector<float> extended;
  extended.reserve(features.size() + 1);
  for (const float value : features) extended.push_back(value * kHalfRoot);
  extended.push_back(kHalfRoot);
  return extended;
}

// r/2 + 1/2 back to r; an uncertainty is a difference of rewards.
double ScoreInRewards(const BanditOptions& options, double score) {
  if (!options.negative_rewards) return score;
  const bool difference =
      std::holds_alternative<EliminationOptions>(options.policy);
  return difference ? 2 * score : 2 * score - 1;
}

std::size_t InnerDim(const BanditOptions& options) {
  CheckDim(options.dim);
  if (!options.negative_rewards) return options.dim;
  if (options.dim == kMaxDim) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("dimension is {}, must be at most {} with negative "
                            "rewards, which take one more",
                            options.dim, kMaxDim - 1));
  }
  return options.dim + 1;
}

}  // namespace

struct Bandit::State {
  explicit State(const BanditOptions& given)
      : options(given),
        catalogue(InnerDim(given)),
        posterior(catalogue.dim(), given.regularisation),
        policy(MakePolicy(given.policy, given.search, catalogue, posterior,
                          given.seed)),
        features(catalogue.dim()) {}

  BanditOptions options;
  Catalogue catalogue;
  Posterior posterior;
  std::unique_ptr<Policy> policy;
  std::vector<float> features;  // scratch
};

Bandit::Bandit(const BanditOptions& options)
    : state_(std::make_unique<State>(options)) {}
Bandit::~Bandit() = default;
Bandit::Bandit(Bandit&&) noexcept = default;
Bandit& Bandit::operator=(Bandit&&) noexcept = default;

void Bandit::Reserve(std::size_t arms) { state_->catalogue.Reserve(arms); }

void Bandit::Add(std::span<const ArmId> ids, std::span<const float> features) {
  State& state = *state_;
  if (!state.options.negative_rewards) {
    state.policy->Add(state.catalogue.Add(ids, features));
    return;
  }
  const std::size_t dim = state.options.dim;
  CheckRows(features, ids.size(), dim);
  std::vector<float> extended;
  extended.reserve(ids.size() * (dim + 1));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto row = Extend(features.subspan(i * dim, dim));
    extended.insert(extended.end(), row.begin(), row.end());
  }
  state.policy->Add(state.catalogue.Add(ids, extended));
}

void Bandit::Add(ArmId id, std::span<const float> features) {
  CheckFeatures(features, dim());
  Add(std::span(&id, 1), features);
}

void Bandit::Remove(ArmId id) {
  state_->policy->Remove(state_->catalogue.At(id));
  state_->catalogue.Remove(id);
}

Decision Bandit::Choose() {
  if (size() == 0) {
    throw Error(ErrorCode::kNoArms, "there are no arms to choose from");
  }
  const Hit hit = state_->policy->Choose();
  return {.arm = state_->catalogue.id(hit.slot),
          .score = ScoreInRewards(state_->options, hit.score)};
}

void Bandit::Learn(ArmId id, double reward) {
  State& state = *state_;
  CheckReward(reward);
  const std::optional<Slot> slot = state.catalogue.Find(id);
  if (!slot) {
    throw Error(ErrorCode::kUnknownId,
                fmt::format("there is no arm {}; hand over its features to "
                            "learn of one that is gone",
                            id));
  }
  state.catalogue.CopyFeatures(*slot, state.features);
  state.posterior.Update(state.features, state.options.negative_rewards
                                             ? reward / 2 + 0.5
                                             : reward);
}

void Bandit::Learn(std::span<const float> features, double reward) {
  State& state = *state_;
  CheckFeatures(features, dim());
  CheckReward(reward);
  if (state.options.negative_rewards) {
    state.posterior.Update(Extend(features), reward / 2 + 0.5);
  } else {
    state.posterior.Update(features, reward);
  }
}

bool Bandit::Contains(ArmId id) const {
  return state_->catalogue.Find(id).has_value();
}

std::size_t Bandit::size() const { return state_->catalogue.size(); }
std::size_t Bandit::dim() const { return state_->options.dim; }

double Bandit::Predict(std::span<const float> features) const {
  CheckFeatures(features, dim());
  const bool negative = state_->options.negative_rewards;
  const Eigen::VectorXd mean = state_->posterior.Mean();
  const std::vector<float> extended =
      negative ? Extend(features)
               : std::vector<float>(features.begin(), features.end());
  double reward = 0;
  for (std::size_t j = 0; j < extended.size(); ++j) {
    reward += mean[static_cast<Eigen::Index>(j)] * extended[j];
  }
  return negative ? 2 * reward - 1 : reward;
}

PolicyStats Bandit::stats() const { return state_->policy->stats(); }

}  // namespace manyarms
