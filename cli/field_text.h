#ifndef MANYARMS_CLI_FIELD_TEXT_H_
#define MANYARMS_CLI_FIELD_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/field.h"
#include "policy/kind.h"

/// Values of options, and the values that an option may have, as text.
namespace manyarms::cli {

std::string NumberText(double value);

std::string ValueText(const Counts& counts, std::uint64_t value);
std::string ValueText(const Reals& reals, double value);
std::string ValueText(const Switch& either, bool value);
std::string ValueText(const Explorations& all, const Exploration& value);
template <class Value>
std::string ValueText(const Choices<Value>& choices, Value value) {
  return std::string(choices.Name(value));
}

std::string DomainText(const Counts& counts);
std::string DomainText(const Reals& reals);
std::string DomainText(const Switch& either);
std::string DomainText(const Explorations& all);

template <class Value>
std::vector<std::string> ChoiceNames(const Choices<Value>& choices) {
  std::vector<std::string> names;
  for (const auto& choice : choices.all) names.emplace_back(choice.name);
  return names;
}
template <class Value>
std::string DomainText(const Choices<Value>& choices) {
  std::string text;
  for (const std::string& name : ChoiceNames(choices)) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

}  // namespace manyarms::cli

#endif  // MANYARMS_CLI_FIELD_TEXT_H_
