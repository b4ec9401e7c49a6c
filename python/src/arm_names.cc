#include "arm_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace nb = nanobind;

namespace manyarms::python {
namespace {

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

// Without arms, and if there never were texts, both kinds are accepted.
void ArmNames::CheckKind(bool texts, std::size_t arms) const {
  const bool undecided = !has_texts() && arms == 0;
  if (undecided || has_texts() == texts) return;
  throw nb::type_error(texts
                           ? "this bandit's arms have ints for ids, not strings"
                           : "this bandit's arms have strings for ids, not "
                             "ints");
}

ArmId ArmNames::NumberOf(const PyArm& arm, std::size_t arms) const {
  const auto* text = std::get_if<std::string>(&arm);
  CheckKind(text != nullptr, arms);
  return text != nullptr ? names_.At(*text) : std::get<ArmId>(arm);
}

Numbers ArmNames::NumbersOf(const PyIds& ids, std::size_t arms) const {
  if (Count(ids) == 0) return {};
  const auto* texts = std::get_if<Texts>(&ids);
  CheckKind(texts != nullptr, arms);
  if (texts == nullptr) return std::get<Numbers>(ids);
  Numbers numbers;
  numbers.reserve(texts->size());
  for (const std::string& text : *texts) numbers.push_back(names_.At(text));
  return numbers;
}

Numbers ArmNames::DistinctNumbersOf(const PyIds& ids, std::size_t arms) const {
  Numbers numbers = NumbersOf(ids, arms);
  CheckDistinct(ids);
  return numbers;
}

Numbers ArmNames::NewNumbers(const PyIds& ids, std::size_t arms) const {
  const auto* texts = std::get_if<Texts>(&ids);
  if (Count(ids) > 0) CheckKind(texts != nullptr, arms);
  if (texts == nullptr) return std::get<Numbers>(ids);
  CheckDistinct(ids);
  Numbers numbers;
  numbers.reserve(texts->size());
  for (const std::string& name : *texts) {
    if (names_.Contains(name)) {
      throw Error(ErrorCode::kDuplicateId,
                  fmt::format("arm '{}' is there already", name));
    }
    numbers.push_back(names_.given() + numbers.size());
  }
  return numbers;
}

void ArmNames::Added(const PyIds& ids) {
  if (const auto* texts = std::get_if<Texts>(&ids)) {
    for (const std::string& name : *texts) names_.Add(name);
  } else {
    numbers_.Add(std::get<Numbers>(ids));
  }
}

void ArmNames::Removed(const Numbers& numbers) {
  if (!has_texts()) {
    numbers_.Remove(numbers);
    return;
  }
  for (const ArmId number : numbers) names_.Remove(number);
}

Eligible ArmNames::EligibleFrom(const PyEligible& eligible, std::size_t arms,
                                Numbers& numbers) const {
  if (const auto* ids = std::get_if<PyIds>(&eligible)) {
    numbers = DistinctNumbersOf(*ids, arms);
    return std::span<const ArmId>(numbers);
  }
  if (const auto* range = std::get_if<IdRange>(&eligible)) {
    CheckKind(false, arms);
    if (numbers_.Are(*range)) return {};
    // Of more ids than arms one is missing, and the library names the first.
    numbers.resize(std::min(range->count, arms + 1));
    std::iota(numbers.begin(), numbers.end(), range->first);
    return std::span<const ArmId>(numbers);
  }
  if (const auto* mask = std::get_if<PyMask>(&eligible)) {
    return std::span<const bool>(mask->values.get(), mask->size);
  }
  return {};
}

PyDecision ArmNames::Named(const Decision& decision) const {
  return {.id = decision.id,
          .arm = has_texts() ? PyArm(names_.Name(decision.arm))
                             : PyArm(decision.arm),
          .score = decision.score,
          .number = decision.arm,
          .eligible = decision.eligible,
          .uniform = decision.uniform};
}

std::vector<PyDecision> ArmNames::Named(
    const std::vector<Decision>& decisions) const {
  std::vector<PyDecision> named;
  named.reserve(decisions.size());
  for (const Decision& decision : decisions) named.push_back(Named(decision));
  return named;
}

PyIds ArmNames::Named(std::vector<ArmId> ids) const {
  if (!has_texts()) return ids;
  Texts texts;
  texts.reserve(ids.size());
  for (const ArmId id : ids) texts.push_back(names_.Name(id));
  return texts;
}

bool ArmNames::Agrees(const PyDecision& decision) const {
  const auto* text = std::get_if<std::string>(&decision.arm);
  const std::string* name = names_.Find(decision.number);  // none if removed
  const bool same_kind = (text != nullptr) == has_texts();
  return same_kind && (name == nullptr || *name == *text);
}

}  // namespace manyarms::python
