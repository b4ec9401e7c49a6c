#include "kind_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manyarms/bandit.h"
#include "manyarms/population.h"
#include "options.h"
#include "words.h"

namespace manyarms::python {
namespace {

std::vector<std::string> InQuotes(const std::vector<std::string_view>& names) {
  std::vector<std::string> quoted;
  for (const std::string_view name : names) {
    quoted.push_back(fmt::format("'{}'", name));
  }
  return quoted;
}

std::string ContextParameters() {
  const BanditOptions defaults;
  return fmt::format("context_dim: int = {}, context_constants: bool = {}",
                     PythonText(defaults.context_dim),
                     PythonText(defaults.context_constants));
}

constexpr std::string_view kLearningHelp =
    R"(rewards: 'linear', or 'clicks' for rewards of 0, 1 and shares between them, which
    are learned by logistic regression. Scores and predictions are then
    probabilities, and 1 is a good exploration whatever the share of clicks. Not
    with negative_rewards.
forgetting: with each reward, all earlier ones count this times as much as
    before, so that what has changed since is forgotten. 1 forgets nothing. 'ts'
    and 'ucb' only.
half_life: the same, as the number of rewards after which a reward counts half.
explore_uniform: the probability with which a choice is not the policy's, but
    drawn uniformly among the eligible arms.
)";

constexpr std::string_view kContextHelp =
    R"(context_dim: the number of values of a context, which every choice and reward
    then comes with; 0 stands for no contexts. Not with 'elim' and not with
    negative_rewards. (context_dim + 1) * (dim + 1) coefficients are learned.
context_constants: whether a constant 1 is appended to contexts and features, so
    that arms and contexts have effects of their own.
)";

}  // namespace

std::string LearningParameters() {
  return "rewards: typing.Literal['linear', 'clicks'] = 'linear', forgetting: "
         "float = 1.0, half_life: float | None = None";
}

std::string Quoted(const std::vector<std::string_view>& names,
                   std::string_view last) {
  std::vector<std::string> quoted = InQuotes(names);
  if (quoted.size() < 2) return fmt::format("{}", fmt::join(quoted, ""));
  const std::string end = quoted.back();
  quoted.pop_back();
  return fmt::format("{} {} {}", fmt::join(quoted, ", "), last, end);
}

std::string LiteralType(const std::vector<std::string_view>& names) {
  return fmt::format("typing.Literal[{}]", fmt::join(InQuotes(names), ", "));
}

std::string SearchClasses() {
  std::string text;
  SearchKinds::ForEach([&text](auto kind, const auto&) {
    text += fmt::format("{}{}", text.empty() ? "" : " | ", kind.kPythonName);
  });
  return text;
}

std::string KindParameters() {
  const BanditOptions defaults;
  return fmt::format(
      "policy: {} = '{}', search: {} | {} = '{}', exploration: float | "
      "TheoryRadius | None = None",
      LiteralType(PolicyKinds::Names()), PolicyName(defaults.policy),
      LiteralType(SearchKinds::Names()), SearchClasses(),
      SearchName(defaults.search));
}

std::string PolicyParameters() {
  std::string text;
  for (const PolicyField& field : PolicyFields()) {
    text += fmt::format("{}: {} | None = None, ", field.name, field.type);
  }
  return text;
}

std::string PolicyParameterHelp() {
  std::string text = fmt::format(
      "exploration: beta in the paper; how far choices go beyond what is "
      "known.\n    None stands for the policy's default: {}.\n",
      PolicyDefault("exploration"));
  for (const PolicyField& field : PolicyFields()) {
    text += fmt::format(
        "{}: of {} only. {}.\n    None stands for the default: {}.\n",
        field.name, field.owners, field.help, PolicyDefault(field.name));
  }
  return text;
}

std::string BanditSignature() {
  const BanditOptions defaults;
  return fmt::format(
      "def __init__(self, dim: int, {}, *, {}regularisation: float = {}, "
      "prior: Prior | typing.Literal['independent'] | None = None, "
      "negative_rewards: bool = {}, {}, explore_uniform: float = {}, {}, seed: "
      "int "
      "= {}, max_pending: int = {}) "
      "-> None",
      KindParameters(), PolicyParameters(), PythonText(defaults.regularisation),
      PythonText(defaults.negative_rewards), LearningParameters(),
      PythonText(defaults.explore_uniform), ContextParameters(),
      PythonText(defaults.seed), PythonText(defaults.max_pending));
}

std::string BanditHelp() {
  return fmt::format(R"(A bandit without arms.

dim: number of features of an arm.
policy: how arms are chosen.{}
search: how the best arm is found, by name, or an object with options, such as
    Hnsw(shortlist=10).{}
{}regularisation: lambda in the paper.
prior: what is known before the first reward, in place of regularisation.
negative_rewards: for rewards whose largest mean may be negative (the paper's
    section 6).
{}{}seed: the same seed makes the same decisions.
max_pending: rewards can be learned for this number of the latest decisions.)",
                     Summaries<PolicyKinds>(), Summaries<SearchKinds>(),
                     PolicyParameterHelp(), kLearningHelp, kContextHelp);
}

std::string PopulationSignature() {
  const PopulationOptions defaults;
  return fmt::format(
      "def __init__(self, dim: int, {}, *, {}regularisation: float = {}, "
      "prior: typing.Literal['independent', 'shared'] | Prior | SharedPrior = "
      "'independent', negative_rewards: bool = {}, {}, explore_uniform: float "
      "= "
      "{}, {}, seed: int = {}, "
      "max_pending: int = {}, "
      "order_budget: int = {}) -> None",
      KindParameters(), PolicyParameters(), PythonText(defaults.regularisation),
      PythonText(defaults.negative_rewards), LearningParameters(),
      PythonText(defaults.explore_uniform), ContextParameters(),
      PythonText(defaults.seed), PythonText(defaults.max_pending),
      PythonText(defaults.order_budget));
}

std::string PopulationHelp() {
  return fmt::format(R"(A population without arms and learners.

dim: number of features of an arm.
policy: how arms are chosen, as in a Bandit. 'elim' is refused, because it keeps
    all arms in stages for each learner.
search: how the best arm is found, by name, or an object with options, such as
    Hnsw(shortlist=10).{}
{}regularisation: lambda in the paper.
prior: what learners begin with. 'independent' is mean 0 and regularisation
    times the identity; a Prior is the same for all; 'shared', or a SharedPrior
    with options, is learned from all learners, so that a new one begins with
    what the others have taught.
negative_rewards: for rewards whose largest mean may be negative (the paper's
    section 6).
{}{}seed: the same seed makes the same decisions of each learner.
max_pending: rewards can be learned for this number of a learner's latest
    decisions.
order_budget: the bytes that certified search may use for learners that choose
    often, all together. Decisions do not depend on it.)",
                     Summaries<SearchKinds>(), PolicyParameterHelp(),
                     kLearningHelp, kContextHelp);
}

}  // namespace manyarms::python
