#ifndef MANYARMS_PYTHON_ROWS_H_
#define MANYARMS_PYTHON_ROWS_H_

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

#include "manyarms/features.h"

namespace manyarms::python {

/// Arrays that the library reads where they lie. They stay alive as long as
/// this does.
struct PyRows {
  nanobind::ndarray<nanobind::ro> array;
  FeatureRows rows;
};

/// A two-dimensional array of float32 or float64, at any strides. Throws
/// TypeError.
PyRows ParseRows(nanobind::handle features);

/// A one-dimensional one, copied.
std::vector<float> ParseRow(nanobind::handle features);

/// Rewards: an array of numbers or a list of them, copied.
std::vector<double> ParseRewards(nanobind::handle rewards);

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_ROWS_H_
