#ifndef MANYARMS_REPRODUCTION_PART_H_
#define MANYARMS_REPRODUCTION_PART_H_

#include <cstddef>
#include <string>
#include <vector>

#include "reproduction/plan.h"

namespace manyarms::reproduction {

/// One of several parts of a plan, which may be done on different machines.
struct Part {
  std::size_t number = 1;  ///< from 1 to `of`
  std::size_t of = 1;

  bool is_all() const { return of == 1; }
};

/// Reads a part such as "3/100". Throws Error(kInvalidArgument).
Part ParsePart(const std::string& text);

/// The part's jobs: every `of`-th, so that all parts take about as long.
std::vector<Job> JobsOf(const Part& part, const std::vector<Job>& jobs);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_PART_H_
