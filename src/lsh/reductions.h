#ifndef MANYARMS_LSH_REDUCTIONS_H_
#define MANYARMS_LSH_REDUCTIONS_H_

#include <array>

#include "base/field.h"
#include "manyarms/search/reduction.h"

namespace manyarms {

inline constexpr std::array<Choices<Reduction>::Choice, 2> kReductions{
    {{Reduction::kSymmetric, "symmetric"}, {Reduction::kPaper, "paper"}}};

}  // namespace manyarms

#endif  // MANYARMS_LSH_REDUCTIONS_H_
