#ifndef MANYARMS_PYTHON_DECISION_H_
#define MANYARMS_PYTHON_DECISION_H_

#include <nanobind/nanobind.h>

#include <cstddef>
#include <variant>
#include <vector>

#include "ids.h"
#include "manyarms/types.h"

namespace manyarms::python {

/// A decision with the id that its arm has in Python.
struct PyDecision {
  DecisionId id = 0;
  PyArm arm;
  double score = 0;
  ArmId number = 0;  // the library's id of the arm
  std::size_t eligible = 0;
  bool uniform = false;
};

using DecisionOrId = std::variant<DecisionId, PyDecision>;

/// A Decision, or its number as an int. Throws TypeError or ValueError.
DecisionOrId ParseDecision(nanobind::handle decision);

/// A list, tuple, array or pandas column of these.
std::vector<DecisionOrId> ParseDecisions(nanobind::handle decisions);

void BindDecision(nanobind::module_& module);

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_DECISION_H_
