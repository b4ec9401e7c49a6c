#ifndef MANYARMS_SEARCH_LSH_THEORY_KIND_H_
#define MANYARMS_SEARCH_LSH_THEORY_KIND_H_

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/field.h"
#include "manyarms/search/lsh_theory.h"
#include "search/kind.h"
#include "search/tree_fields.h"

namespace manyarms {

template <>
struct SearchKind<LshTheoryOptions> {
  static constexpr std::string_view kName = "lsh-theory";
  static constexpr std::uint8_t kTag = 4;
  static constexpr std::string_view kPythonName = "LshTheory";
  static constexpr std::string_view kSummary =
      "Asks the paper's adaptive solver with the parameters of its proofs, for "
      "few arms within length 1.";
  static constexpr bool kExact = false;

  static constexpr std::tuple kFields{
      // At most 10,000 solvers.
      Field{&LshTheoryOptions::accuracy,
            Reals{.least = 0, .most = 1, .least_per_feature = 1e-4},
            {.name = "accuracy",
             .help = "With ts, the dimension divided by it is the number of "
                     "solvers (eta in Algorithm 4)",
             .flag = "ladder",
             .row = "ladder_accuracy",
             .decides = true}},
      Field{&LshTheoryOptions::delta,
            Reals{1e-100, 1},
            {.name = "delta",
             .help = "The probability that any answer is wrong",
             .row = "search_delta",
             .decides = true}},
      ReductionField<LshTheoryOptions>(),
      Field{&LshTheoryOptions::copies,
            Counts{0, 1'000'000},
            {.name = "copies",
             .help = "Independent trees of a solver (kappa); 0: by the paper's "
                     "formula",
             .decides = true}},
      MinDepthField<LshTheoryOptions>(),
      Field{&LshTheoryOptions::threads,
            Counts{1, 1024},
            {.name = "threads",
             .help = "Threads that ask copies at the same time",
             .flag = "copy-threads"}},
      MaxBytesField<LshTheoryOptions>()};

  static std::string Refusal(Objective objective, std::size_t dim) {
    if (objective == Objective::kQuadraticOptimism) {
      return "search lsh-theory cannot serve policy qgloc: its promise is for "
             "queries and arms of length 1, to which two parts of one score "
             "cannot both be scaled; use search lsh, hnsw or certified";
    }
    return RefusalOfProductIndex(kName, "filter trees answer", objective, dim);
  }

  static double BytesPerArm(const LshTheoryOptions&, Objective objective,
                            double dim) {
    return TreeRowBytes(NumbersPerArm(objective, dim));
  }

  static std::unique_ptr<Index> Make(const LshTheoryOptions& options,
                                     const SearchTask& task,
                                     const ArmStore& store, Scope scope,
                                     std::uint64_t seed);

  static std::vector<Sample<LshTheoryOptions>> Samples() {
    return {{"LshTheory", {.accuracy = 1, .copies = 3}, Laws::kOfSearches},
            {.name = "LshTheory",
             .options = {.accuracy = 1, .copies = 2},
             .laws = Laws::kOfPolicies,
             .slow = true}};
  }
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_LSH_THEORY_KIND_H_
