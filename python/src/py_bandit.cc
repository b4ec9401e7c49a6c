#include "py_bandit.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace nb = nanobind;

namespace manyarms::python {
namespace {

Bandit LoadBytes(std::string_view bytes, Names& names) {
  std::istringstream in{std::string(bytes)};
  return Bandit::Load(in, &names);
}

// The library would name texts by their numbers, so they are compared here.
void CheckDistinct(const PyIds& ids) {
  const auto* texts = std::get_if<Texts>(&ids);
  if (texts == nullptr) return;
  std::vector<std::string_view> sorted(texts->begin(), texts->end());
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) {
    throw Error(ErrorCode::kDuplicateId,
                fmt::format("arm '{}' is given twice in one call", *twice));
  }
}

}  // namespace

// A thread that waits for the lock does not hold the interpreter (Python's
// GIL), so that the two cannot deadlock. Short work keeps the interpreter if
// the lock is free: after releasing it, a thread may wait milliseconds to get
// it back.
template <class Work>
auto PyBandit::Change(const Work& work) {
  if (const std::unique_lock lock(mutex_, std::try_to_lock); lock) {
    return work();
  }
  return ChangeAside(work);
}

template <class Work>
auto PyBandit::ChangeAside(const Work& work) {
  const nb::gil_scoped_release release;
  const std::unique_lock lock(mutex_);
  return work();
}

template <class Work>
auto PyBandit::Read(const Work& work) const {
  if (const std::shared_lock lock(mutex_, std::try_to_lock); lock) {
    return work();
  }
  return ReadAside(work);
}

template <class Work>
auto PyBandit::ReadAside(const Work& work) const {
  const nb::gil_scoped_release release;
  const std::shared_lock lock(mutex_);
  return work();
}

PyBandit::PyBandit(std::string_view bytes)
    : bandit_(LoadBytes(bytes, names_)) {}

// A bandit that has no arms and never had texts accepts both.
void PyBandit::CheckKind(bool texts) const {
  const bool undecided = !HasTexts() && bandit_.size() == 0;
  if (undecided || HasTexts() == texts) return;
  throw nb::type_error(texts
                           ? "this bandit's arms have ints for ids, not strings"
                           : "this bandit's arms have strings for ids, not "
                             "ints");
}

ArmId PyBandit::NumberOf(const PyArm& arm) const {
  const auto* text = std::get_if<std::string>(&arm);
  CheckKind(text != nullptr);
  return text != nullptr ? names_.At(*text) : std::get<ArmId>(arm);
}

Numbers PyBandit::NumbersOf(const PyIds& ids) const {
  if (Count(ids) == 0) return {};
  const auto* texts = std::get_if<Texts>(&ids);
  CheckKind(texts != nullptr);
  if (texts == nullptr) return std::get<Numbers>(ids);
  Numbers numbers;
  numbers.reserve(texts->size());
  for (const std::string& text : *texts) numbers.push_back(names_.At(text));
  return numbers;
}

void PyBandit::Reserve(std::size_t arms) {
  ChangeAside([&] { bandit_.Reserve(arms); });
}

void PyBandit::AddArms(const PyIds& ids, const FeatureRows& features) {
  ChangeAside([&] {
    const auto* texts = std::get_if<Texts>(&ids);
    if (Count(ids) > 0) CheckKind(texts != nullptr);
    if (texts != nullptr) {
      AddNamed(*texts, features);
    } else {
      bandit_.Add(std::get<Numbers>(ids), features);
    }
  });
}

void PyBandit::AddNamed(const Texts& names, const FeatureRows& features) {
  CheckDistinct(names);
  Numbers numbers;
  numbers.reserve(names.size());
  for (const std::string& name : names) {
    if (names_.Contains(name)) {
      throw Error(ErrorCode::kDuplicateId,
                  fmt::format("arm '{}' is there already", name));
    }
    numbers.push_back(names_.given() + numbers.size());
  }
  bandit_.Add(numbers, features);
  for (const std::string& name : names) names_.Add(name);
}

void PyBandit::RemoveArms(const PyIds& ids) {
  ChangeAside([&] {
    const Numbers numbers = NumbersOf(ids);
    CheckDistinct(ids);
    bandit_.Remove(numbers);
    if (HasTexts()) {
      for (const ArmId number : numbers) names_.Remove(number);
    }
  });
}

void PyBandit::UpdateArms(const PyIds& ids, const FeatureRows& features) {
  ChangeAside([&] {
    const Numbers numbers = NumbersOf(ids);
    CheckDistinct(ids);
    bandit_.Update(numbers, features);
  });
}

PyDecision PyBandit::Named(const Decision& decision) const {
  if (HasTexts()) {
    return {decision.id, names_.Name(decision.arm), decision.score,
            decision.arm};
  }
  return {decision.id, decision.arm, decision.score, decision.arm};
}

// The result refers to `numbers`.
Eligible PyBandit::EligibleFrom(const PyEligible& eligible,
                                Numbers& numbers) const {
  if (const auto* ids = std::get_if<PyIds>(&eligible)) {
    numbers = NumbersOf(*ids);
    CheckDistinct(*ids);
    return std::span<const ArmId>(numbers);
  }
  if (const auto* mask = std::get_if<PyMask>(&eligible)) {
    return std::span<const bool>(mask->values.get(), mask->size);
  }
  return {};
}

PyDecision PyBandit::Choose(const PyEligible& eligible) {
  return ChangeAside([&] {
    Numbers numbers;
    return Named(bandit_.Choose(EligibleFrom(eligible, numbers)));
  });
}

std::vector<PyDecision> PyBandit::ChooseMany(std::size_t count, Many many,
                                             const PyEligible& eligible) {
  return ChangeAside([&] {
    Numbers numbers;
    const Eligible among = EligibleFrom(eligible, numbers);
    std::vector<PyDecision> decisions;
    for (const Decision& decision : many == Many::kBest
                                        ? bandit_.ChooseBest(count, among)
                                        : bandit_.ChooseDraws(count, among)) {
      decisions.push_back(Named(decision));
    }
    return decisions;
  });
}

// Decisions of two bandits may have the same numbers.
void PyBandit::CheckOurs(const PyDecision& decision) const {
  bandit_.CheckPending({.id = decision.id, .arm = decision.number});
  const auto* text = std::get_if<std::string>(&decision.arm);
  const std::string* name = names_.Find(decision.number);  // none if removed
  const bool same_kind = (text != nullptr) == HasTexts();
  if (!same_kind || (name != nullptr && *name != *text)) {
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

void PyBandit::Learn(const DecisionOrId& decision, double reward) {
  Change([&] { bandit_.Learn(OurId(decision), reward); });
}

void PyBandit::Learn(const PyDecision& decision, double reward) {
  Change([&] {
    CheckOurs(decision);
    bandit_.Learn(decision.id, reward);
  });
}

void PyBandit::LearnMany(const std::vector<DecisionOrId>& decisions,
                         const std::vector<double>& rewards) {
  ChangeAside([&] {
    Numbers ids;
    ids.reserve(decisions.size());
    for (const DecisionOrId& decision : decisions) {
      ids.push_back(OurId(decision));
    }
    bandit_.Learn(ids, rewards);
  });
}

void PyBandit::Dismiss(const DecisionOrId& decision) {
  Change([&] { bandit_.Dismiss(OurId(decision)); });
}

void PyBandit::Observe(const PyArm& arm, double reward) {
  Change([&] { bandit_.Observe(NumberOf(arm), reward); });
}

void PyBandit::ObserveMany(const PyIds& arms,
                           const std::vector<double>& rewards) {
  ChangeAside([&] { bandit_.Observe(NumbersOf(arms), rewards); });
}

void PyBandit::ObserveFeatures(const std::vector<float>& features,
                               double reward) {
  Change([&] { bandit_.Observe(features, reward); });
}

std::vector<double> PyBandit::Predict(const FeatureRows& features) const {
  return ReadAside([&] { return bandit_.Predict(features); });
}

std::vector<float> PyBandit::Features(const PyIds& arms) const {
  return ReadAside([&] { return bandit_.Features(NumbersOf(arms)); });
}

std::vector<double> PyBandit::Scores(const PyIds& arms) const {
  return ReadAside([&] { return bandit_.Scores(NumbersOf(arms)); });
}

std::vector<double> PyBandit::Uncertainty(const PyIds& arms) const {
  return ReadAside([&] { return bandit_.Uncertainty(NumbersOf(arms)); });
}

std::vector<double> PyBandit::Mean() const {
  return Read([&] { return bandit_.Mean(); });
}

bool PyBandit::Contains(const PyArm& arm) const {
  return Read([&] {
    if (const auto* text = std::get_if<std::string>(&arm)) {
      return names_.Contains(*text);
    }
    return !HasTexts() && bandit_.Contains(std::get<ArmId>(arm));
  });
}

PyIds PyBandit::Ids() const {
  return ReadAside([&]() -> PyIds {
    const std::vector<ArmId> ids = bandit_.Ids();
    if (!HasTexts()) return ids;
    Texts texts;
    texts.reserve(ids.size());
    for (const ArmId id : ids) texts.push_back(names_.Name(id));
    return texts;
  });
}

std::size_t PyBandit::size() const {
  return Read([&] { return bandit_.size(); });
}

std::size_t PyBandit::pending() const {
  return Read([&] { return bandit_.pending(); });
}

PolicyStats PyBandit::stats() const {
  return Read([&] { return bandit_.stats(); });
}

void PyBandit::Save(const std::filesystem::path& path) const {
  ReadAside([&] { bandit_.Save(path, &names_); });
}

std::string PyBandit::Bytes() const {
  return ReadAside([&] {
    std::ostringstream out;
    bandit_.Save(out, &names_);
    return std::move(out).str();
  });
}

}  // namespace manyarms::python
