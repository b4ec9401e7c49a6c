#ifndef MANYARMS_POLICY_KIND_H_
#define MANYARMS_POLICY_KIND_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

#include "base/field.h"
#include "manyarms/policy/exploration.h"
#include "manyarms/search_options.h"
#include "manyarms/types.h"
#include "search/objective.h"

namespace manyarms {

// Declared here so that programs that only list options need not include
// policy/policy.h.
class Policy;
class Posterior;
class Questions;
struct PolicyParts;

/// What there is to know about a policy, apart from how it works. It is
/// specialised in policy/<name>_kind.h. Each has
///   kName, kTag, kSummary, kFields  as SearchKind has
///   kObjective         what it asks its search for
///   kScoreIsDifference whether its scores are differences of rewards, in
///                      which an offset of rewards cancels, and not rewards
///   kBytesPerArm       about how many bytes it takes in addition to its search
///   kSharesIndex       whether it asks one question over all arms for each
///                      choice, of an index that others can share
///   LearnsFrom         (not all have it) how it makes the pseudo-rewards that
///                      it learns from in place of rewards
///   MakeQuestions      if so, makes its questions; otherwise
///   Make               makes the policy. Its options were checked before
///   Samples            options with which the laws of policies are tested
template <class Options>
struct PolicyKind;

template <class Options>
struct PolicySample {
  std::string_view name;
  Options options;
};

inline constexpr std::tuple kTheoryRadiusFields{
    Field{&TheoryRadius::horizon,
          Counts{1, kMaxSteps},
          {.name = "horizon",
           .help = "The number of steps that there will be (T)",
           .decides = true}},
    // A policy's share of delta can be 4 kMaxSteps times smaller and must not
    // underflow, because its logarithm is computed.
    Field{&TheoryRadius::delta,
          Reals{1e-100, 1},
          {.name = "delta",
           .help = "The probability that the theory's radius fails",
           .decides = true}}};

/// The values that an exploration may have: a number or the theory's radius.
struct Explorations {
  Reals constants{0, kMaxExploration};

  void Check(const std::string& what, const Exploration& exploration,
             std::size_t dim) const;
};

template <class Options>
constexpr auto ExplorationField() {
  return Field{&Options::exploration,
               Explorations{},
               {.name = "exploration",
                .help = "Radius of the confidence sets (beta in the paper): a "
                        "number, or theory for the paper's formula",
                .decides = true}};
}

}  // namespace manyarms

#endif  // MANYARMS_POLICY_KIND_H_
