#ifndef MANYARMS_PYTHON_PLAIN_H_
#define MANYARMS_PYTHON_PLAIN_H_

#include <nanobind/nanobind.h>

namespace manyarms::python {

/// Of pandas' columns and frames their arrays; of NumPy's arrays that lie askew
/// in memory a copy that does not; anything else as it is. Refuses arrays with
/// masked values, which would be taken for real ones. `name` is what the caller
/// knows it by.
nanobind::object Plain(nanobind::handle given, const char* name);

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_PLAIN_H_
