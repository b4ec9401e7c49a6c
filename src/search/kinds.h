#ifndef MANYARMS_SEARCH_KINDS_H_
#define MANYARMS_SEARCH_KINDS_H_

#include "base/kind_list.h"
#include "manyarms/search_options.h"
#include "search/certified/kind.h"
#include "search/hnsw/kind.h"
#include "search/lsh/kind.h"
#include "search/lsh_theory/kind.h"
#include "search/scan/kind.h"

namespace manyarms {

using SearchKinds = KindList<SearchKind, SearchOptions>;

/// Throws Error(kInvalidArgument) for options out of bounds, and
/// Error(kUnsupported) for an objective that the search cannot serve.
void CheckSearch(const SearchOptions& options, Objective objective,
                 std::size_t dim);

/// Whether an index over all arms of a store wants it to keep a compact copy.
bool UsesCompactCopy(const SearchOptions& options, Objective objective);

/// Whether the search finds what a scan finds, for every query.
bool IsExact(const SearchOptions& options);

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_KINDS_H_
