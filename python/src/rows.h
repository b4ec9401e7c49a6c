#ifndef MANYARMS_PYTHON_ROWS_H_
#define MANYARMS_PYTHON_ROWS_H_

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

#include "manyarms/features.h"

namespace manyarms::python {

/// Features that the library reads in place. The array lives as long as this
/// object.
struct PyRows {
  nanobind::ndarray<nanobind::ro> array;
  FeatureRows rows;
  bool is_one;  ///< given as a single row
};

/// How features may be given.
enum class Rows { kOne, kMany, kEither };

/// Features from an array of float32, float64 or integers, with any strides, or
/// from a list of numbers. They must be two-dimensional, or as `wanted` says.
/// Throws TypeError, and Error(kInvalidArgument) for lists of unequal length.
/// `dim` is the length of the rows of an empty list. `name` is the argument's
/// name for the caller.
PyRows ParseRows(nanobind::handle features, std::size_t dim,
                 Rows wanted = Rows::kMany, const char* name = "features");

/// A single row, copied.
std::vector<float> ParseRow(nanobind::handle features);

/// Rewards: an array of numbers or a list of them, copied.
std::vector<double> ParseRewards(nanobind::handle rewards);

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_ROWS_H_
