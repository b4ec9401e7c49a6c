#include "shards/sharded_bandit.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "bandit/state.h"
#include "base/check.h"
#include "kernels/top_hits.h"
#include "policy/kinds.h"
#include "shards/guarded_index.h"
#include "shards/shardable.h"

namespace manyarms {

ShardedBandit::ShardedBandit(const BanditOptions& options)
    : guard_(std::make_unique<Guard>()),
      bandit_(std::make_unique<State>(Shardable(options), GuardedBy(*guard_))) {
}

// Converts what may be chosen into what the guard needs to know, and into the
// known arms among which the choice is made; null for all of them.
Need ShardedBandit::NeedOf(std::size_t count, const EligibleInShards& eligible,
                           const ArmSet*& among) {
  if (arms_ == 0) {
    throw Error(ErrorCode::kNoArms, "there are no arms to choose from");
  }
  Need need{.count = count, .among = Among::kAll, .eligible = arms_, .ids = {}};
  among = nullptr;
  if (const auto* ids = std::get_if<1>(&eligible)) {
    CheckDistinct("eligible arm", *ids);
    need.eligible = ids->size();
    const bool known =
        std::ranges::all_of(*ids, [this](ArmId id) { return Knows(id); });
    need.among = known ? Among::kKnown : Among::kUnknown;
    if (!known) need.ids.assign(ids->begin(), ids->end());
    among = known ? state().eligible_arms.OfAny(*ids) : &winners_;
  } else if (const auto* elsewhere = std::get_if<Elsewhere>(&eligible)) {
    need.eligible = elsewhere->arms;
    need.among = Among::kUnknown;
    among = &winners_;
  }
  if (need.eligible == 0) {
    throw Error(ErrorCode::kNoArms, "no arm is eligible");
  }
  if (need.eligible > arms_) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} arms are eligible, there are {}", need.eligible,
                            arms_));
  }
  need.count = std::min(need.count, need.eligible);
  return need;
}

// What `decide` returns, or none if the guard does not let it pass.
template <class Decide>
auto ShardedBandit::Guarded(Need need, const Decide& decide) {
  guard_->Expect(std::move(need), unknown_arms());
  std::optional<decltype(decide())> chosen;
  try {
    chosen = decide();
  } catch (const MustAsk&) {
    // None was chosen; the guard has the question.
  } catch (...) {
    DropAnswer();
    throw;
  }
  DropAnswer();
  return chosen;
}

// To be called after a choice that passed.
void ShardedBandit::CountChoice(bool was_sent) {
  ++choices_;
  sent_ += was_sent ? 1 : 0;
  if (guard_->among() == Among::kAll) schedule_.Chose(was_sent);
}

std::optional<Decision> ShardedBandit::Choose(Context context) {
  State& bandit = state();
  bandit.model.Check(context);
  const ArmSet* among = nullptr;
  Need need = NeedOf(1, {}, among);
  const auto decision = Guarded(std::move(need), [&] {
    return bandit.Decide(
        bandit.ChooseAmong(bandit.pending.last() + 1, among, context), arms_,
        context);
  });
  if (decision) CountChoice(guard_->was_sent());
  return decision;
}

std::optional<std::vector<Decision>> ShardedBandit::ChooseBest(
    std::size_t count, const EligibleInShards& eligible, Context context) {
  State& bandit = state();
  CheckCount("number of choices (at most max_pending)", count, 0,
             bandit.options.max_pending);
  bandit.model.Check(context);
  if (count == 0) return std::vector<Decision>();
  const ArmSet* among = nullptr;
  Need need = NeedOf(count, eligible, among);
  const TopRequest request{.count = need.count, .among = among};
  const std::size_t arms = need.eligible;
  auto decisions = Guarded(std::move(need), [&] {
    return bandit.DecideAll(bandit.ChooseSlate(request, context), arms,
                            context);
  });
  if (decisions) CountChoice(guard_->was_sent());
  return decisions;
}

std::optional<std::vector<Decision>> ShardedBandit::ChooseDraws(
    std::size_t count, const EligibleInShards& eligible,
    std::span<const float> contexts) {
  State& bandit = state();
  CheckCount("number of choices (at most max_pending)", count, 0,
             bandit.options.max_pending);
  bandit.model.CheckOneOrAll(contexts, count);
  if (count == 0) return std::vector<Decision>();
  std::size_t arms = 0;
  while (draws_.size() < count) {
    const ArmSet* among = nullptr;
    Need need = NeedOf(1, eligible, among);
    arms = need.eligible;
    auto draw = NextDraw(std::move(need), among,
                         bandit.model.At(contexts, draws_.size()));
    if (!draw) return std::nullopt;
    draws_.push_back(std::move(*draw));
  }
  std::vector<Decision> decisions;
  decisions.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Draw& draw = draws_[i];
    decisions.push_back(bandit.Decide({.hit = {kNoSlot, draw.score}}, draw.arm,
                                      draw.features, arms,
                                      bandit.model.At(contexts, i)));
    CountChoice(draw.was_sent);
  }
  draws_.clear();
  return decisions;
}

void ShardedBandit::DropDraws() {
  state().policy->TakeBack(draws_.size());
  draws_.clear();
}

// It has the number that its decision will have.
std::optional<ShardedBandit::Draw> ShardedBandit::NextDraw(Need need,
                                                           const ArmSet* among,
                                                           Context context) {
  State& bandit = state();
  auto draw = Guarded(std::move(need), [&] {
    const State::Chosen chosen = bandit.ChooseAmong(
        bandit.pending.last() + 1 + draws_.size(), among, context);
    Draw made{.arm = bandit.ArmOf(chosen),
              .score = chosen.hit.score,
              .features = std::vector<float>(bandit.store.dim()),
              .was_sent = false};
    bandit.store.CopyFeatures(chosen.hit.slot, made.features);
    return made;
  });
  if (draw) draw->was_sent = guard_->was_sent();
  return draw;
}

std::string ShardedBandit::question() const {
  if (!guard_->asked()) {
    throw Error(ErrorCode::kOutdated,
                "no choice waits for answers, or arms have changed since it "
                "was made: choose again");
  }
  return guard_->asked()->question.Bytes();
}

void ShardedBandit::Answer(std::span<const std::string> answers) {
  if (!guard_->asked()) question();  // throws
  const Guard::Asked& asked = *guard_->asked();
  const std::size_t dim = state().store.dim();
  std::size_t eligible = 0;
  SentArms arms;
  kernels::TopHits best(asked.need.count);
  for (const std::string& bytes : answers) {
    const manyarms::Answer answer = manyarms::Answer::From(bytes, dim);
    if (answer.question != asked.question.number) {
      throw Error(
          ErrorCode::kOutdated,
          fmt::format("this is an answer to question {}, the last is {}",
                      answer.question, asked.question.number));
    }
    eligible += answer.eligible;
    for (std::size_t i = 0; i < answer.scores.size(); ++i) {
      best.Offer({static_cast<Slot>(arms.ids.size() + i), answer.scores[i]},
                 answer.arms.ids[i]);
    }
    arms.Append(answer.arms);
  }
  if (eligible != asked.need.eligible) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the answers are about {} arms, the question is "
                            "about {}: some shards' answers are missing",
                            eligible, asked.need.eligible));
  }
  CheckDistinct("answered arm", arms.ids);

  DropAnswer();
  SentArms fresh;
  std::vector<ArmId> winners;
  for (const Hit& hit : best.Sorted()) {
    const ArmId id = arms.ids[hit.slot];
    winners.push_back(id);
    if (Knows(id)) continue;
    fresh.ids.push_back(id);
    const auto row = std::span(arms.rows).subspan(hit.slot * dim, dim);
    fresh.rows.insert(fresh.rows.end(), row.begin(), row.end());
  }
  Know(fresh.ids, fresh.rows);
  for (const ArmId id : winners) winners_.Add(state().store.At(id));
  const bool stay =
      asked.need.among == Among::kAll && guard_->rest() != nullptr;
  if (!stay) guests_ = std::move(fresh.ids);
  guard_->Answered();
}

// An answer serves one choice. Its best arms remain known if they may help
// with later choices among all arms.
void ShardedBandit::DropAnswer() {
  if (!guard_->has_answer()) return;
  guard_->DropAnswer();
  winners_.Clear();
  Ignore(guests_);
  fresh_ -= guests_.size();
  guests_.clear();
}

void ShardedBandit::Learn(DecisionId decision, double reward) {
  bandit_.Learn(decision, reward);
}
void ShardedBandit::Learn(const Decision& decision, double reward) {
  bandit_.Learn(decision, reward);
}
void ShardedBandit::Learn(std::span<const DecisionId> decisions,
                          std::span<const double> rewards) {
  bandit_.Learn(decisions, rewards);
}
void ShardedBandit::CheckPending(const Decision& decision) const {
  bandit_.CheckPending(decision);
}
void ShardedBandit::Dismiss(DecisionId decision) { bandit_.Dismiss(decision); }
void ShardedBandit::Observe(std::span<const float> features, double reward,
                            Context context) {
  bandit_.Observe(features, reward, context);
}

void ShardedBandit::ObserveArms(std::span<const std::string> sent,
                                std::span<const ArmId> arms,
                                std::span<const double> rewards,
                                std::span<const float> contexts) {
  State& bandit = state();
  const std::size_t dim = bandit.store.dim();
  if (rewards.size() != arms.size()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} rewards given for {} arms", rewards.size(),
                            arms.size()));
  }
  for (const double reward : rewards) bandit.scale.Check(reward);
  bandit.model.CheckAll(contexts, rewards.size());
  SentArms known;
  for (const std::string& message : sent) {
    known.Append(SentArms::From(message, dim));
  }
  std::unordered_map<ArmId, std::span<const float>> rows;
  for (std::size_t i = 0; i < known.ids.size(); ++i) {
    rows[known.ids[i]] = std::span(known.rows).subspan(i * dim, dim);
  }
  for (const ArmId id : arms) {
    if (!rows.contains(id)) {
      throw Error(ErrorCode::kUnknownId,
                  fmt::format("no shard has sent arm {}", id));
    }
  }
  const std::size_t p = bandit.model.context_dim();
  for (std::size_t i = 0; i < arms.size(); ++i) {
    bandit.Learn(rows.at(arms[i]), rewards[i], contexts.subspan(i * p, p));
  }
}

void ShardedBandit::Forget(double share) { bandit_.Forget(share); }
std::vector<double> ShardedBandit::Predict(
    const FeatureRows& features, std::span<const float> contexts) const {
  return bandit_.Predict(features, contexts);
}

std::vector<double> ShardedBandit::Uncertainty(const FeatureRows& features,
                                               Context context) const {
  const State& bandit = state();
  bandit.model.Check(context);
  const std::vector<float> rows =
      bandit.scale.InnerRows(features.rows(), features);
  std::vector<double> uncertainty;
  uncertainty.reserve(features.rows());
  for (std::size_t i = 0; i < features.rows(); ++i) {
    const std::size_t dim = bandit.scale.inner_dim();
    const auto row = std::span(rows).subspan(i * dim, dim);
    uncertainty.push_back(bandit.scale.OuterDifference(
        bandit.policy->exploration() *
        bandit.model.Width(bandit.posterior, context, row)));
  }
  return uncertainty;
}

ShardedStats ShardedBandit::stats() const {
  return {bandit_.stats(), choices_, sent_, surveys_, bandit_.size()};
}

}  // namespace manyarms
