#ifndef MANYARMS_REPRODUCTION_ORIGIN_H_
#define MANYARMS_REPRODUCTION_ORIGIN_H_

#include "reproduction/json.h"

namespace manyarms::reproduction {

/// Where rows come from: the machine (`cpu`, `cores`, `memory_bytes`,
/// `system`), the program (`version`, `commit`, `compiler`)
/// and how many runs there are at a time (`threads`).
Json DescribeOrigin(unsigned threads);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_ORIGIN_H_
