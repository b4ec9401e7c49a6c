#ifndef MANYARMS_PYTHON_ELIGIBLE_H_
#define MANYARMS_PYTHON_ELIGIBLE_H_

#include <nanobind/nanobind.h>

#include <memory>
#include <variant>

#include "id_range.h"
#include "ids.h"

namespace manyarms::python {

struct PyMask {
  std::unique_ptr<bool[]> values;
  std::size_t size = 0;
};

/// The eligible arms of a choice: all, those with these ids, those of a mask,
/// or those of a range.
using PyEligible = std::variant<std::monostate, PyIds, PyMask, IdRange>;

/// Takes None, what ParseIds takes, and arrays of bools. Throws TypeError or
/// ValueError.
PyEligible ParseEligible(nanobind::handle eligible);

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_ELIGIBLE_H_
