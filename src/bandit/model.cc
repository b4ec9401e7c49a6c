#include "bandit/model.h"

#include <fmt/format.h>

#include "base/check.h"
#include "manyarms/error.h"
#include "manyarms/types.h"
#include "policy/kinds.h"

namespace manyarms {
namespace {

// Widths need the constant, inner products do not.
bool ConstantIsStored(const BanditOptions& options) {
  return options.context_dim > 0 && options.context_constants &&
         ObjectiveOf(options.policy) != Objective::kInnerProduct;
}

// Throws Error(kUnsupported) if rewards that count less and less cannot be
// used.
void CheckPolicyMayForget(const PolicyOptions& policy) {
  const auto refuse = [&](const char* why) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{} cannot forget, and so cannot use forgetting: "
                            "{}; use ts or ucb",
                            PolicyName(policy), why));
  };
  if (!SharesIndex(policy)) {
    refuse("it eliminates an arm for good, which may become the best again");
  }
  if (PseudoRewardsOf(policy)) {
    refuse("its online Newton step has no discounted form");
  }
  if (ExploresByTheory(policy)) {
    throw Error(ErrorCode::kUnsupported,
                "exploration by theory cannot be used with forgetting: its "
                "radius holds for rewards that all count the same");
  }
}

// Throws Error for ways of learning that the policy cannot use.
void CheckLearning(const BanditOptions& options) {
  CheckWithin("forgetting", options.forgetting, kMinForgetting, 1);
  if (options.forgetting < 1) CheckPolicyMayForget(options.policy);
  if (options.rewards == RewardModel::kClicks &&
      ExploresByTheory(options.policy)) {
    throw Error(ErrorCode::kUnsupported,
                "exploration by theory cannot be used with clicks: its radius "
                "holds for linear rewards");
  }
  const std::optional<PseudoRewards> pseudo = PseudoRewardsOf(options.policy);
  if (!pseudo) return;
  const auto refuse = [&](const char* what, const char* why) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{} cannot be used with {}: {}", what,
                            PolicyName(options.policy), why));
  };
  if (options.prior) {
    refuse("a prior",
           "its online Newton step begins with mean 0 and a multiple of the "
           "identity");
  }
  if (ExploresByTheory(options.policy)) {
    refuse("exploration by theory",
           "that radius is one of ridge regression over rewards, not over "
           "pseudo-rewards");
  }
}

}  // namespace

bool ExploresByTheory(const PolicyOptions& policy) {
  return PolicyKinds::Visit(policy, [](auto, const auto& held) {
    return std::holds_alternative<TheoryRadius>(held.exploration);
  });
}

RewardScale ScaleOf(const BanditOptions& options) {
  if (options.rewards == RewardModel::kClicks && options.negative_rewards) {
    throw Error(ErrorCode::kUnsupported,
                "negative_rewards cannot be used with clicks, which are never "
                "negative");
  }
  return RewardScale({.dim = options.dim,
                      .negative_rewards = options.negative_rewards,
                      .constant = ConstantIsStored(options),
                      .rewards = options.rewards});
}

ContextModel ModelOf(const BanditOptions& options) {
  if (options.context_dim > 0) {
    if (!SharesIndex(options.policy)) {
      throw Error(
          ErrorCode::kUnsupported,
          fmt::format("{} cannot use contexts: it eliminates an arm for "
                      "good, which may be the best in another context; "
                      "use ts or ucb",
                      PolicyName(options.policy)));
    }
    if (options.negative_rewards) {
      throw Error(ErrorCode::kUnsupported,
                  "negative_rewards cannot be used with contexts, whose model "
                  "has a constant of its own");
    }
    CheckWithin("regularisation with contexts", options.regularisation,
                kMinContextRegularisation, kMaxRegularisation);
  }
  return ContextModel({.arm_dim = ScaleOf(options).inner_dim(),
                       .context_dim = options.context_dim,
                       .constants = options.context_constants,
                       .constant_is_stored = ConstantIsStored(options)});
}

Posterior StartOf(const BanditOptions& options) {
  CheckLearning(options);
  const Learning learning{.rewards = options.rewards,
                          .forgetting = options.forgetting,
                          .pseudo_rewards = PseudoRewardsOf(options.policy)};
  const std::size_t coefficients = ModelOf(options).coefficients();
  if (!options.prior) {
    return {coefficients, options.regularisation, learning};
  }
  if (options.negative_rewards) {
    throw Error(ErrorCode::kUnsupported,
                "negative_rewards cannot be used with a prior, which would be "
                "one of other coefficients");
  }
  if (ExploresByTheory(options.policy)) {
    throw Error(ErrorCode::kUnsupported,
                "exploration by theory cannot be used with a prior: its radius "
                "holds for mean 0 and a multiple of the identity");
  }
  const double least =
      options.context_dim > 0 ? kMinContextRegularisation : kMinRegularisation;
  return Posterior(PriorFactor(*options.prior, coefficients, least), learning);
}

void CheckForget(double share, const PolicyOptions& policy) {
  CheckWithin("share", share, 0, 1);
  CheckPolicyMayForget(policy);
}

}  // namespace manyarms
