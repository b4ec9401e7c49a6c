#ifndef MANYARMS_PYTHON_BANDIT_H_
#define MANYARMS_PYTHON_BANDIT_H_

#include <nanobind/nanobind.h>

namespace manyarms::python {

void BindBandit(nanobind::module_& module);

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_BANDIT_H_
