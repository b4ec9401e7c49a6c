#ifndef MANYARMS_PYTHON_KIND_TEXT_H_
#define MANYARMS_PYTHON_KIND_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "policy/kinds.h"
#include "search/kinds.h"

/// Parts of signatures, docstrings and messages that are made from the kinds of
/// policies and searches.
namespace manyarms::python {

/// "'a', 'b' and 'c'", where `last` is "and".
std::string Quoted(const std::vector<std::string_view>& names,
                   std::string_view last);

/// "typing.Literal['a', 'b']"
std::string LiteralType(const std::vector<std::string_view>& names);

/// "Certified | Scan"
std::string SearchClasses();

template <class Value>
std::vector<std::string_view> ChoiceNames(const Choices<Value>& choices) {
  std::vector<std::string_view> names;
  for (const auto& choice : choices.all) names.push_back(choice.name);
  return names;
}

/// A line for each kind: its name and what it is.
template <class Kinds>
std::string Summaries() {
  std::string text;
  Kinds::ForEach([&text](auto kind, const auto&) {
    text += "\n    '" + std::string(kind.kName) +
            "': " + std::string(kind.kSummary);
  });
  return text;
}

/// The parameters policy, search and exploration of a signature.
std::string KindParameters();

/// A parameter for each option of policies, and a line for each in a docstring.
std::string PolicyParameters();
std::string PolicyParameterHelp();

/// The parameters rewards, forgetting and half_life of a signature.
std::string LearningParameters();

/// The signature and the docstring of Bandit's constructor.
std::string BanditSignature();
std::string BanditHelp();

/// The same for Population.
std::string PopulationSignature();
std::string PopulationHelp();

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_KIND_TEXT_H_
