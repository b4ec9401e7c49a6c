#ifndef MANYARMS_REPRODUCTION_ORIGIN_H_
#define MANYARMS_REPRODUCTION_ORIGIN_H_

#include "reproduction/json.h"

namespace manyarms::reproduction {

/// Describes where rows come from: the machine (`cpu`, `cores`,
/// `memory_bytes`, `system`), the program (`version`, `commit`, `compiler`) and
/// the number of runs at a time (`threads`).
Json DescribeOrigin(unsigned threads);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_ORIGIN_H_
