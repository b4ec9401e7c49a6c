#include "py_bandit.h"

#include <fmt/format.h>

#include <sstream>

namespace manyarms::python {
namespace {

Bandit LoadBytes(std::string_view bytes, Names& names) {
  std::istringstream in{std::string(bytes)};
  return Bandit::Load(in, &names);
}

}  // namespace

PyBandit::PyBandit(std::string_view bytes)
    : bandit_(LoadBytes(bytes, names_.names())) {
  names_.Loaded(bandit_.Ids());
}

void PyBandit::Reserve(std::size_t arms) {
  turns_.ChangeAside([&] { bandit_.Reserve(arms); });
}

void PyBandit::AddArms(const PyIds& ids, const FeatureRows& features) {
  turns_.ChangeAside([&] {
    bandit_.Add(names_.NewNumbers(ids, bandit_.size()), features);
    names_.Added(ids);
  });
}

void PyBandit::RemoveArms(const PyIds& ids) {
  turns_.ChangeAside([&] {
    const Numbers numbers = names_.DistinctNumbersOf(ids, bandit_.size());
    bandit_.Remove(numbers);
    names_.Removed(numbers);
  });
}

void PyBandit::UpdateArms(const PyIds& ids, const FeatureRows& features) {
  turns_.ChangeAside([&] {
    bandit_.Update(names_.DistinctNumbersOf(ids, bandit_.size()), features);
  });
}

PyDecision PyBandit::Choose(const PyEligible& eligible, Context context) {
  return turns_.ChangeAside([&] {
    Numbers numbers;
    return names_.Named(bandit_.Choose(
        names_.EligibleFrom(eligible, bandit_.size(), numbers), context));
  });
}

std::vector<PyDecision> PyBandit::ChooseMany(std::size_t count, Many many,
                                             const PyEligible& eligible,
                                             std::span<const float> contexts) {
  return turns_.ChangeAside([&] {
    Numbers numbers;
    const Eligible among =
        names_.EligibleFrom(eligible, bandit_.size(), numbers);
    return names_.Named(many == Many::kBest
                            ? bandit_.ChooseBest(count, among, contexts)
                            : bandit_.ChooseDraws(count, among, contexts));
  });
}

// Decisions of two bandits may have the same numbers.
void PyBandit::CheckOurs(const PyDecision& decision) const {
  bandit_.CheckPending({.id = decision.id, .arm = decision.number});
  if (!names_.Agrees(decision)) {
    throw Error(ErrorCode::kUnknownId,
                fmt::format("decision {} chose another arm here: this one is "
                            "another bandit's",
                            decision.id));
  }
}

DecisionId PyBandit::OurId(const DecisionOrId& decision) const {
  if (const auto* id = std::get_if<DecisionId>(&decision)) return *id;
  const auto& whole = std::get<PyDecision>(decision);
  CheckOurs(whole);
  return whole.id;
}

Probability PyBandit::Propensity(const DecisionOrId& decision,
                                 std::uint64_t draws,
                                 const PyEligible& eligible, Context context) {
  return turns_.ChangeAside([&] {
    Numbers numbers;
    const Eligible among =
        names_.EligibleFrom(eligible, bandit_.size(), numbers);
    return bandit_.Propensity(OurId(decision), draws, among, context);
  });
}

std::vector<Probability> PyBandit::Propensities(const PyIds& arms,
                                                std::uint64_t draws,
                                                const PyEligible& eligible,
                                                Context context) {
  return turns_.ChangeAside([&] {
    Numbers numbers;
    const Eligible among =
        names_.EligibleFrom(eligible, bandit_.size(), numbers);
    return bandit_.Propensities(NumbersOf(arms), draws, among, context);
  });
}

double PyBandit::LoggingProbability(const DecisionOrId& decision,
                                    std::uint64_t draws,
                                    const PyEligible& eligible,
                                    Context context) {
  return turns_.ChangeAside([&] {
    Numbers numbers;
    const Eligible among =
        names_.EligibleFrom(eligible, bandit_.size(), numbers);
    return bandit_.LoggingProbability(OurId(decision), draws, among, context);
  });
}

void PyBandit::Learn(const DecisionOrId& decision, double reward) {
  turns_.Change([&] { bandit_.Learn(OurId(decision), reward); });
}

void PyBandit::Learn(const PyDecision& decision, double reward) {
  turns_.Change([&] {
    CheckOurs(decision);
    bandit_.Learn(decision.id, reward);
  });
}

void PyBandit::LearnMany(const std::vector<DecisionOrId>& decisions,
                         const std::vector<double>& rewards) {
  turns_.ChangeAside([&] {
    Numbers ids;
    ids.reserve(decisions.size());
    for (const DecisionOrId& decision : decisions) {
      ids.push_back(OurId(decision));
    }
    bandit_.Learn(ids, rewards);
  });
}

void PyBandit::Forget(double share) {
  turns_.Change([&] { bandit_.Forget(share); });
}

void PyBandit::Dismiss(const DecisionOrId& decision) {
  turns_.Change([&] { bandit_.Dismiss(OurId(decision)); });
}

void PyBandit::Observe(const PyArm& arm, double reward, Context context) {
  turns_.Change([&] {
    bandit_.Observe(names_.NumberOf(arm, bandit_.size()), reward, context);
  });
}

void PyBandit::ObserveMany(const PyIds& arms,
                           const std::vector<double>& rewards,
                           const std::vector<float>& contexts) {
  turns_.ChangeAside(
      [&] { bandit_.Observe(NumbersOf(arms), rewards, contexts); });
}

void PyBandit::ObserveFeatures(const std::vector<float>& features,
                               double reward, Context context) {
  turns_.Change([&] { bandit_.Observe(features, reward, context); });
}

std::vector<double> PyBandit::Predict(const FeatureRows& features,
                                      std::span<const float> contexts) const {
  return turns_.ReadAside([&] { return bandit_.Predict(features, contexts); });
}

std::vector<float> PyBandit::Features(const PyIds& arms) const {
  return turns_.ReadAside([&] { return bandit_.Features(NumbersOf(arms)); });
}

std::vector<double> PyBandit::Scores(const PyIds& arms, Context context) const {
  return turns_.ReadAside(
      [&] { return bandit_.Scores(NumbersOf(arms), context); });
}

std::vector<double> PyBandit::Uncertainty(const PyIds& arms,
                                          Context context) const {
  return turns_.ReadAside(
      [&] { return bandit_.Uncertainty(NumbersOf(arms), context); });
}

std::vector<double> PyBandit::Mean() const {
  return turns_.Read([&] { return bandit_.Mean(); });
}

bool PyBandit::Contains(const PyArm& arm) const {
  return turns_.Read([&] {
    if (const auto* text = std::get_if<std::string>(&arm)) {
      return names_.names().Contains(*text);
    }
    return !names_.has_texts() && bandit_.Contains(std::get<ArmId>(arm));
  });
}

PyIds PyBandit::Ids() const {
  return turns_.ReadAside([&] { return names_.Named(bandit_.Ids()); });
}

std::size_t PyBandit::size() const {
  return turns_.Read([&] { return bandit_.size(); });
}

std::size_t PyBandit::pending() const {
  return turns_.Read([&] { return bandit_.pending(); });
}

PolicyStats PyBandit::stats() const {
  return turns_.Read([&] { return bandit_.stats(); });
}

void PyBandit::Save(const std::filesystem::path& path) const {
  turns_.ReadAside([&] { bandit_.Save(path, &names_.names()); });
}

std::string PyBandit::Bytes() const {
  return turns_.ReadAside([&] {
    std::ostringstream out;
    bandit_.Save(out, &names_.names());
    return std::move(out).str();
  });
}

}  // namespace manyarms::python
