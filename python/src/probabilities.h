#ifndef MANYARMS_PYTHON_PROBABILITIES_H_
#define MANYARMS_PYTHON_PROBABILITIES_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "manyarms/probability.h"

namespace manyarms::python {

/// The number of draws as the caller gave it. Throws TypeError or ValueError.
std::uint64_t ParseDraws(nanobind::handle draws);

/// (value, standard error).
nanobind::object AsPair(const Probability& probability);

/// (values, standard errors), as arrays.
nanobind::object AsPair(const std::vector<Probability>& probabilities);

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_PROBABILITIES_H_
