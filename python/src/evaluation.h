#ifndef MANYARMS_PYTHON_EVALUATION_H_
#define MANYARMS_PYTHON_EVALUATION_H_

#include <nanobind/nanobind.h>

namespace manyarms::python {

/// Binds what manyarms/evaluation.py makes its functions of. They take arrays
/// that were checked there and return tuples and dicts.
void BindEvaluation(nanobind::module_& module);

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_EVALUATION_H_
