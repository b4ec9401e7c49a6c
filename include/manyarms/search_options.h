#ifndef MANYARMS_SEARCH_OPTIONS_H_
#define MANYARMS_SEARCH_OPTIONS_H_

#include <string_view>
#include <variant>

#include "manyarms/search/certified.h"
#include "manyarms/search/hnsw.h"
#include "manyarms/search/lsh.h"
#include "manyarms/search/lsh_theory.h"
#include "manyarms/search/scan.h"

namespace manyarms {

/// Every search that there is. All else that must know them all (the program's
/// flags, rows, files, Python's classes) goes through this list.
using SearchOptions = std::variant<CertifiedOptions, ScanOptions, HnswOptions,
                                   LshOptions, LshTheoryOptions>;

std::string_view SearchName(const SearchOptions& options);

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_OPTIONS_H_
