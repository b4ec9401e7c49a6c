#ifndef MANYARMS_SEARCH_KIND_H_
#define MANYARMS_SEARCH_KIND_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "search/objective.h"

namespace manyarms {

// Declared here so that programs that only list options need not include
// search/search.h.
class ArmStore;
class Index;
struct SearchTask;
enum class Scope : std::uint8_t;

/// What there is to know about a search, apart from how it works. It is
/// specialised in search/<name>/kind.h. Each has
///   kName        its name for callers
///   kTag         its number in saved files, which no other search ever gets
///   kPythonName  the class with its options in Python
///   kSummary     one sentence for help and documents
///   kExact       whether it always finds what a scan finds
///   kFields      its options (base/field.h)
///   Refusal      why it cannot serve an objective over arms of this
///                dimension; empty if it can
///   BytesPerArm  about how many bytes it takes in addition to the catalogue
///   Make         makes its index, after options and objective were checked
///   UsesCompactCopy  (not all have it) whether its index over all arms of a
///                store wants the store to keep a compact copy
///   Samples      options with which the laws of searches and policies are
///                tested
template <class Options>
struct SearchKind;

/// The laws that a sample is for.
enum class Laws { kAll, kOfSearches, kOfPolicies };

template <class Options>
struct Sample {
  std::string_view name;
  Options options;
  Laws laws = Laws::kAll;
  bool exact = false;  ///< whether the search is exact with them
  /// Slow samples are tested with the first sample of each policy only.
  bool slow = false;
};

/// The reason why an index for inner products cannot serve an objective; empty
/// if it can. Such an index serves ts and, with lifted arms, elim and qgloc.
std::string RefusalOfProductIndex(std::string_view search,
                                  std::string_view what_answers,
                                  Objective objective, std::size_t dim);

/// How many numbers such an index stores for an arm.
inline double NumbersPerArm(Objective objective, double dim) {
  const double folded = dim * (dim + 1) / 2;
  if (objective == Objective::kQuadraticForm) return folded;
  return objective == Objective::kQuadraticOptimism ? dim + folded : dim;
}

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_KIND_H_
