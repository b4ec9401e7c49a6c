#include "population/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bandit/uniform_slice.h"
#include "base/check.h"
#include "policy/kinds.h"
#include "policy/policy.h"

namespace manyarms {
namespace {

// The lower bits of a decision's id are its number among its learner's.
constexpr int kNumberBits = 40;
constexpr std::uint64_t kMostDecisions = std::uint64_t{1} << kNumberBits;

// To learn a prior of n coefficients costs O(n^3) for each learner.
ContextModel CheckedModel(const ContextModel& model,
                          const PopulationOptions& options) {
  if (std::holds_alternative<SharedPrior>(options.prior)) {
    CheckCount("number of coefficients with a shared prior",
               model.coefficients(), 1, kMaxSharedCoefficients);
  }
  return model;
}

PopulationOptions Checked(PopulationOptions options) {
  if (!SharesIndex(options.policy)) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("a population cannot use {}, which keeps sets of "
                            "all arms for each learner; use ts or ucb, or a "
                            "Bandit",
                            PolicyName(options.policy)));
  }
  if (std::holds_alternative<SharedPrior>(options.prior)) {
    if (options.negative_rewards) {
      throw Error(ErrorCode::kUnsupported,
                  "negative_rewards cannot be used with a shared prior");
    }
    if (options.forgetting < 1) {
      throw Error(ErrorCode::kUnsupported,
                  "forgetting cannot be used with a shared prior, which is "
                  "learned from all rewards of learners");
    }
    if (PseudoRewardsOf(options.policy)) {
      throw Error(ErrorCode::kUnsupported,
                  fmt::format("a shared prior cannot be used with {}: its "
                              "online Newton step begins with mean 0 and a "
                              "multiple of the identity",
                              PolicyName(options.policy)));
    }
    if (ExploresByTheory(options.policy)) {
      throw Error(ErrorCode::kUnsupported,
                  "exploration by theory cannot be used with a shared prior: "
                  "its radius holds for mean 0 and a multiple of the identity");
    }
  }
  CheckCount("number of pending decisions", options.max_pending, 1,
             kMaxPending);
  CheckCount("order budget", options.order_budget, 1, ~std::uint64_t{0});
  CheckWithin("explore_uniform", options.explore_uniform, 0, 1);
  return options;
}

}  // namespace

Population::State::State(const PopulationOptions& given)
    : options(Checked(given)),
      scale(ScaleOf(LoneOptions(0))),
      model(CheckedModel(ModelOf(LoneOptions(0)), options)),
      catalogue(scale.inner_dim()),
      store(catalogue.state_->store),
      index(MakeSharedIndex(given.policy,
                            WithinBudget(given.search, given.order_budget),
                            store, given.seed)),
      learners(FreshPosterior(LoneOptions(0).prior).packed_size() *
               sizeof(double)),
      prior(given.prior, given.regularisation, learners,
            [this](const std::optional<GaussianPrior>& start) {
              return FreshPosterior(start);
            }),
      workspaces(options, model, prior, store, *index),
      finders(*index, given.order_budget) {}

std::uint64_t Population::State::SeedOf(const LearnerKey& key) const {
  return Mix(options.seed, StableHash(key));
}

BanditOptions Population::State::LoneOptions(std::uint64_t seed) const {
  return {.dim = options.dim,
          .policy = options.policy,
          .search = options.search,
          .regularisation = options.regularisation,
          .prior = std::holds_alternative<GaussianPrior>(options.prior)
                       ? std::optional(std::get<GaussianPrior>(options.prior))
                       : std::nullopt,
          .negative_rewards = options.negative_rewards,
          .rewards = options.rewards,
          .forgetting = options.forgetting,
          .explore_uniform = options.explore_uniform,
          .context_dim = options.context_dim,
          .context_constants = options.context_constants,
          .seed = seed,
          .max_pending = options.max_pending};
}

Posterior Population::State::FreshPosterior(
    const std::optional<GaussianPrior>& given) const {
  BanditOptions lone = LoneOptions(0);
  lone.prior = given;
  Posterior posterior = StartOf(lone);
  if (MakeQuestions(options.policy, posterior, model)->needs_inverse()) {
    posterior.KeepInverse();
  }
  return posterior;
}

DecisionId Population::State::IdOf(const LearnerKey& key,
                                   std::uint64_t number) const {
  return (SeedOf(key) & ~(kMostDecisions - 1)) | number;
}

std::uint64_t Population::State::NumberOf(const LearnerKey& key,
                                          DecisionId id) const {
  const std::uint64_t number = id & (kMostDecisions - 1);
  if (IdOf(key, number) != id) {
    throw Error(
        ErrorCode::kUnknownId,
        fmt::format("decision {} is not one of learner {}", id, ToString(key)));
  }
  return number;
}

std::uint64_t Population::State::PendingNumber(const LearnerKey& key,
                                               const Learner& learner,
                                               DecisionId id) const {
  const std::uint64_t number = NumberOf(key, id);
  if (!learner.IsPending(number)) {
    throw Error(
        ErrorCode::kUnknownId,
        number == 0 || number > learner.decisions
            ? fmt::format("decision {} of learner {} has not been made", id,
                          ToString(key))
            : fmt::format("decision {} of learner {} has been learned or "
                          "dismissed already, or {} or more have been made "
                          "since",
                          id, ToString(key), options.max_pending));
  }
  return number;
}

void Population::State::CheckPending(const LearnerKey& key,
                                     const Decision& decision) const {
  learners.Look(key, [&](const Learner* learner) {
    if (learner == nullptr) LearnerTable::FailUnknown(key);
    learner->pending->CheckArm(PendingNumber(key, *learner, decision.id),
                               decision.arm);
  });
}

std::vector<Decision> Population::State::Choose(const LearnerKey& key,
                                                const Wanted& wanted) {
  return learners.Change(
      key, [&](Learner& learner) { return ChooseFor(key, learner, wanted); });
}

FinderCache::Loan Population::State::FinderOf(const Learner* learner,
                                              const StartingPrior& start,
                                              Context context) {
  // Learners that have learned nothing have the same belief, and an order that
  // they share.
  const bool is_new = learner == nullptr || !learner->packed;
  if (!index->own_finders_pay() || !model.MayHaveOrder(context) ||
      (is_new && !prior.is_informative())) {
    return {};
  }
  return finders.Borrow({is_new ? start.asker : learner->asker, context});
}

std::vector<Decision> Population::State::ChooseFor(const LearnerKey& key,
                                                   Learner& learner,
                                                   const Wanted& wanted) {
  UniformSlice uniform(options.explore_uniform, SeedOf(key),
                       learner.decisions + 1);
  const WorkspacePool::Loan workspace = workspaces.Borrow();
  const std::shared_ptr<const StartingPrior> start = prior.Now();
  workspace->Become(&learner, *start);
  const FinderCache::Loan own =
      uniform.has_decision() ? FinderCache::Loan()
                             : FinderOf(&learner, *start, wanted.context);
  Finder& finder = own.get() != nullptr ? *own.get() : *workspace->finder;

  // The lock is released before the loans end.
  const auto reading = store.ReadLock();
  const ArmSet* among = workspace->eligible_arms.Of(wanted.eligible);
  const TopRequest request{.count = std::min(wanted.count, store.size()),
                           .among = among};
  const Moment now{.prior = start->asker, .epoch = store.members().epoch()};
  Chosen chosen{.eligible = among != nullptr ? among->size() : store.size(),
                .uniform = uniform.has_decision(),
                .basis = now.BasisOf(learner)};
  if (chosen.uniform) {
    for (const Slot slot : uniform.Draw(store, among, request.count)) {
      chosen.hits.push_back({slot, 0});
    }
  } else {
    const Query query =
        workspace->questions->Ask({.posterior = workspace->posterior,
                                   .seed = SeedOf(key),
                                   .draw = learner.choices,
                                   .context = wanted.context});
    if (!wanted.slate && among == nullptr) {
      chosen.hits.push_back(finder.Best(query).value_or(Hit{}));
    } else {
      chosen.hits = finder.Top(query, request);
    }
    for (Hit& hit : chosen.hits) hit.score += workspace->questions->offset();
  }
  if (chosen.hits.empty()) chosen.hits.emplace_back();  // no score is a number
  std::vector<Decision> decisions =
      Decide(key, learner, chosen, wanted.context);
  ++learner.choices;  // only now: the finder may have thrown
  return decisions;
}

PendingDecisions& Population::State::PendingOf(Learner& learner) const {
  if (!learner.pending) {
    learner.pending = std::make_unique<PendingDecisions>(
        model.context_dim() + store.dim(), options.max_pending,
        learner.decisions);
  }
  return *learner.pending;
}

std::vector<Decision> Population::State::Decide(const LearnerKey& key,
                                                Learner& learner,
                                                const Chosen& chosen,
                                                Context context) {
  if (std::ranges::count(chosen.hits, kNoSlot, &Hit::slot) > 0) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("no arm has a score that is a number: what learner "
                            "{} has learned cannot be",
                            ToString(key)));
  }
  std::vector<Decision> decisions;
  decisions.reserve(chosen.hits.size());
  for (const Hit& hit : chosen.hits) {
    const ArmId arm = store.id(hit.slot);
    const bool follows = !decisions.empty();
    const std::span<float> row =
        PendingOf(learner).Add({.arm = arm,
                                .eligible = follows ? 0 : chosen.eligible,
                                .basis = chosen.basis});
    std::ranges::copy(context, row.begin());
    store.CopyFeatures(hit.slot, row.subspan(context.size()));
    learner.decisions = learner.pending->last();
    decisions.push_back({.id = IdOf(key, learner.decisions),
                         .arm = arm,
                         .score = chosen.uniform ? 0 : scale.Outer(hit.score),
                         .eligible = chosen.eligible,
                         .uniform = chosen.uniform});
  }
  return decisions;
}

void Population::State::Learn(const LearnerKey& key,
                              std::span<const DecisionId> decisions,
                              std::span<const double> rewards) {
  learners.ChangeExisting(key, [&](Learner& learner) {
    std::vector<std::uint64_t> numbers;
    numbers.reserve(decisions.size());
    for (const DecisionId id : decisions) {
      numbers.push_back(PendingNumber(key, learner, id));
    }
    CheckDistinct("decision", decisions);
    if (numbers.empty()) return;
    Teach(learner, [&](Posterior& posterior) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        model.LearnRow(posterior, learner.pending->Features(numbers[i]),
                       scale.Inner(rewards[i]));
      }
    });
    for (const std::uint64_t number : numbers) learner.Done(number);
  });
}

void Population::State::Observe(const LearnerKey& key,
                                std::span<const float> inner, double reward,
                                Context context) {
  learners.Change(key, [&](Learner& learner) {
    Teach(learner, [&](Posterior& posterior) {
      model.Learn(posterior, context, inner, scale.Inner(reward));
    });
  });
}

void Population::State::Forget(const LearnerKey& key, double share) {
  // The bounds of its order do not hold for what it knows afterwards, so it
  // becomes another asker.
  const std::uint64_t former =
      learners.ChangeExisting(key, [&](Learner& learner) {
        if (learner.packed) {
          Teach(learner,
                [&](Posterior& posterior) { posterior.Forget(share); });
          if (learner.pending) learner.pending->Outdate();
        }
        return std::exchange(learner.asker, learners.NewAsker());
      });
  finders.Forget(former);
}

void Population::State::CountRewards(std::size_t count) {
  if (const auto former = prior.CountRewards(count)) finders.Forget(*former);
}

bool Population::State::LearnPrior() {
  const auto former = prior.Learn();
  if (former) finders.Forget(*former);
  return former.has_value();
}

std::shared_ptr<const StartingPrior> Population::State::PriorOf(
    const LearnerKey& key) const {
  std::shared_ptr<const StartingPrior> now = prior.Now();
  return learners.Look(key, [&](const Learner* learner) {
    return learner != nullptr && learner->prior ? learner->prior : now;
  });
}

Eigen::VectorXd Population::State::MeanOf(const LearnerKey& key,
                                          Context context) {
  model.Check(context);
  return WithPosterior(key, [&](const Workspace& workspace) {
    return model.Direction(workspace.posterior.Mean(), context);
  });
}

double Population::State::Predict(const Eigen::VectorXd& mean,
                                  std::span<const float> inner) const {
  return scale.Outer(ContextModel::Predict(mean, inner));
}

std::vector<double> Population::State::PredictRows(
    const Eigen::VectorXd& mean, std::span<const float> inner_rows) const {
  std::vector<double> rewards;
  rewards.reserve(inner_rows.size() / store.dim());
  for (; !inner_rows.empty(); inner_rows = inner_rows.subspan(store.dim())) {
    rewards.push_back(Predict(mean, inner_rows.first(store.dim())));
  }
  return rewards;
}

}  // namespace manyarms
