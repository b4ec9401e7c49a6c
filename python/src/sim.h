#ifndef MANYARMS_PYTHON_SIM_H_
#define MANYARMS_PYTHON_SIM_H_

#include <nanobind/nanobind.h>

namespace manyarms::python {

void BindSim(nanobind::module_& module);

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_SIM_H_
