#ifndef MANYARMS_PYTHON_PLAIN_H_
#define MANYARMS_PYTHON_PLAIN_H_

#include <nanobind/nanobind.h>

namespace manyarms::python {

/// Converts pandas columns and frames to arrays, and unaligned NumPy arrays to
/// aligned copies; returns anything else as it is. Refuses masked arrays,
/// because masked values would be used like all others. `name` is the
/// argument's name for the caller.
nanobind::object Plain(nanobind::handle given, const char* name);

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_PLAIN_H_
