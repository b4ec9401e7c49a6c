#ifndef MANYARMS_PYTHON_LOG_H_
#define MANYARMS_PYTHON_LOG_H_

#include <nanobind/nanobind.h>

namespace manyarms::python {

/// What manyarms/_log.py is made of.
void BindLog(nanobind::module_& module);

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_LOG_H_
