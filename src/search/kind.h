#ifndef MANYARMS_SEARCH_KIND_H_
#define MANYARMS_SEARCH_KIND_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "search/objective.h"

namespace manyarms {

// Of search/search.h, which programs that only list options need not read.
class ArmStore;
class Index;
struct SearchTask;
enum class Scope : std::uint8_t;

/// What there is to know of a search beside how it works; specialised in
/// search/<name>/kind.h. Each has
///   kName        what callers name it by
///   kTag         its number in saved files, never used for another
///   kPythonName  the class with its options in Python
///   kSummary     one sentence for help and documents
///   kExact       whether it always finds what a scan finds
///   kFields      its options (base/field.h)
///   Refusal      why it cannot serve an objective over arms of this
///                dimension; empty if it can
///   BytesPerArm  about how much memory it takes beside the catalogue
///   Make         the search itself, which has been found to be possible
///   Samples      options that the laws of searches and policies are tried with
template <class Options>
struct SearchKind;

/// Which laws a sample is for.
enum class Laws { kAll, kOfSearches, kOfPolicies };

template <class Options>
struct Sample {
  std::string_view name;
  Options options;
  Laws laws = Laws::kAll;
  bool exact = false;  ///< with these options
  /// Takes its time: one configuration of each policy is enough.
  bool slow = false;
};

/// Why an index by inner product, which can serve ts and, after lifting, elim,
/// cannot serve an objective.
std::string RefusalOfProductIndex(std::string_view search,
                                  std::string_view what_answers,
                                  Objective objective, std::size_t dim);

/// How many numbers such an index has for an arm.
inline double NumbersPerArm(Objective objective, double dim) {
  return objective == Objective::kQuadraticForm ? dim * (dim + 1) / 2 : dim;
}

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_KIND_H_
