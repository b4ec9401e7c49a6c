#include "bandit/state.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "kernels/blocks.h"

namespace manyarms {

Bandit::State::State(const BanditOptions& given)
    : options(given),
      scale(given.dim, given.negative_rewards),
      catalogue(scale.inner_dim()),
      posterior(catalogue.dim(), given.regularisation),
      policy(MakePolicy(given.policy, given.search, catalogue, posterior,
                        given.seed)),
      pending(catalogue.dim(), given.max_pending),
      eligible_arms(catalogue),
      features(catalogue.dim()) {
  CheckCount("number of pending decisions", given.max_pending, 1, kMaxPending);
}

std::vector<Slot> Bandit::State::Slots() const {
  std::vector<Slot> slots;
  slots.reserve(catalogue.size());
  const std::vector<std::uint32_t> living = catalogue.LivingLanes();
  for (std::uint32_t block = 0; block < living.size(); ++block) {
    ForEachLane(living[block], [&](std::uint32_t lane) {
      slots.push_back(block * kLanes + lane);
    });
  }
  return slots;
}

std::vector<Slot> Bandit::State::DistinctSlots(
    std::span<const ArmId> ids) const {
  std::vector<Slot> slots;
  slots.reserve(ids.size());
  for (const ArmId id : ids) slots.push_back(catalogue.At(id));
  CheckDistinct("arm", ids);
  return slots;
}

Slot Bandit::State::ToObserve(ArmId id) const {
  const std::optional<Slot> slot = catalogue.Find(id);
  if (slot) return *slot;
  throw Error(ErrorCode::kUnknownId,
              fmt::format("there is no arm {}; hand over its features to learn "
                          "of one that is gone",
                          id));
}

std::vector<float> Bandit::State::InnerRows(std::size_t arms,
                                            const FeatureRows& given) const {
  CheckShape(given, arms, options.dim);
  std::vector<float> row(options.dim);
  std::vector<float> rows;
  rows.reserve(arms * catalogue.dim());
  for (std::size_t i = 0; i < arms; ++i) {
    given.Copy(i, row);
    CheckRow(row, i, given);
    scale.AppendInner(row, rows);
  }
  return rows;
}

Hit Bandit::State::ChooseAmong(const ArmSet* among) {
  if (among == nullptr) return policy->Choose();
  const std::vector<Hit> top = policy->ChooseTop({.count = 1, .among = among});
  return top.empty() ? Hit{} : top.front();
}

Decision Bandit::State::Decide(const Hit& hit) {
  if (hit.slot == kNoSlot) {  // of a forged file, for instance
    throw Error(ErrorCode::kCorrupt,
                "no arm has a score that is a number: what this bandit has "
                "learned cannot be");
  }
  const ArmId arm = catalogue.id(hit.slot);
  catalogue.CopyFeatures(hit.slot, pending.Add(arm));
  const bool uncertainty =
      std::holds_alternative<EliminationOptions>(options.policy);
  return {.id = pending.last(),
          .arm = arm,
          .score = uncertainty ? scale.OuterDifference(hit.score)
                               : scale.Outer(hit.score)};
}

std::vector<Decision> Bandit::State::DecideAll(const std::vector<Hit>& hits) {
  std::vector<Decision> decisions;
  decisions.reserve(hits.size());
  for (const Hit& hit : hits) decisions.push_back(Decide(hit));
  return decisions;
}

double Bandit::State::Predict(const Eigen::VectorXd& mean,
                              std::span<const float> given) const {
  const std::vector<float> inner = scale.InnerFeatures(given);
  double reward = 0;
  for (std::size_t j = 0; j < inner.size(); ++j) {
    reward += mean[static_cast<Eigen::Index>(j)] * inner[j];
  }
  return scale.Outer(reward);
}

void Bandit::State::RemoveOne(ArmId id) {
  policy->Remove(catalogue.At(id));
  catalogue.Remove(id);
}

bool Bandit::State::AllNamed(const Names& names) const {
  return names.size() == catalogue.size() &&
         std::ranges::all_of(Slots(), [&](Slot slot) {
           return names.Find(catalogue.id(slot)) != nullptr;
         });
}

}  // namespace manyarms
