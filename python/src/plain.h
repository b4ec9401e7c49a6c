#ifndef MANYARMS_PYTHON_PLAIN_H_
#define MANYARMS_PYTHON_PLAIN_H_

#include <nanobind/nanobind.h>

namespace manyarms::python {

/// Converts columns and tables of pandas, Arrow and others to arrays
/// (manyarms/_columns.py), and unaligned NumPy arrays to aligned copies;
/// returns anything else as it is. Throws ValueError for missing values.
/// Refuses masked arrays, because masked values would be used like all others.
/// `name` is the argument's name for the caller.
nanobind::object Plain(nanobind::handle given, const char* name);

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_PLAIN_H_
