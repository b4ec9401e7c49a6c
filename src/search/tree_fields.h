#ifndef MANYARMS_SEARCH_TREE_FIELDS_H_
#define MANYARMS_SEARCH_TREE_FIELDS_H_

#include "base/field.h"
#include "lsh/reductions.h"

/// What searches with filter trees have in common.
namespace manyarms {

template <class Options>
constexpr auto ReductionField() {
  return Field{&Options::reduction,
               Choices<Reduction>{kReductions},
               {.name = "reduction",
                .help = "How arms are mapped to points on a sphere",
                .decides = true,
                .first_in_row = true}};
}

template <class Options>
constexpr auto MinDepthField() {
  return Field{&Options::min_depth,
               Counts{0, 3},
               {.name = "min_depth",
                .help = "The least depth of trees; 0: scans where they cost "
                        "less, 1: trees even there",
                .decides = true}};
}

template <class Options>
constexpr auto MaxBytesField() {
  return Field{&Options::max_bytes,
               Reals{1e6, 1e15},
               {.name = "max_bytes",
                .help = "The most memory that all trees may take, as planned",
                .flag = "tree-bytes",
                .decides = true}};
}

/// The memory that an arm takes as a row. Trees are not included: they have a
/// limit of their own and may never be built.
inline double TreeRowBytes(double numbers_per_arm) {
  return 4 * numbers_per_arm + 60;
}

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_TREE_FIELDS_H_
