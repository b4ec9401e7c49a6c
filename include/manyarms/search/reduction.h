#ifndef MANYARMS_SEARCH_REDUCTION_OPTIONS_H_
#define MANYARMS_SEARCH_REDUCTION_OPTIONS_H_

#include <string_view>

namespace manyarms {

/// How points and queries of length at most 1 are mapped to the unit sphere, on
/// which filter trees work.
enum class Reduction {
  kPaper,      ///< appendix A.1: cosine (1 + <p, q>) / 4; three dimensions more
  kSymmetric,  ///< cosine <p, q> / |q|; one dimension more; far better
               ///< exponents
};
std::string_view ReductionName(Reduction reduction);

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_REDUCTION_OPTIONS_H_
