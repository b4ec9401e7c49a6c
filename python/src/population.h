#ifndef MANYARMS_PYTHON_POPULATION_H_
#define MANYARMS_PYTHON_POPULATION_H_

#include <nanobind/nanobind.h>

namespace manyarms::python {

void BindPopulation(nanobind::module_& module);

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_POPULATION_H_
