#ifndef MANYARMS_PYTHON_CONTEXTS_H_
#define MANYARMS_PYTHON_CONTEXTS_H_

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "arrays.h"

namespace manyarms::python {

/// A context from an array or list of numbers, copied; none from None. The
/// library checks its length and its values, but for those beyond float.
/// Throws TypeError or Error(kInvalidArgument).
std::vector<float> ParseContext(nanobind::handle context);

/// `count` contexts of `dim` values one after another, from an array or list of
/// rows; none from None. Throws TypeError or Error(kInvalidArgument).
std::vector<float> ParseContexts(nanobind::handle contexts, std::size_t count,
                                 std::size_t dim);

/// One context for all, or one for each of `count`; not both.
std::vector<float> ParseOneOrAll(nanobind::handle context,
                                 nanobind::handle contexts, std::size_t count,
                                 std::size_t dim);

/// What was learned: a vector, or with contexts a matrix whose rows belong to
/// the values of a context, and whose columns belong to features.
template <class Options>
nanobind::object MeanArray(std::vector<double> mean, const Options& options) {
  const bool is_matrix = options.context_dim > 0;
  const std::size_t columns = options.dim + (options.context_constants ? 1 : 0);
  return Array(std::move(mean), is_matrix ? columns : 0);
}

/// For __repr__: " context_dim=3", or nothing without contexts.
std::string ContextText(std::size_t context_dim);

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_CONTEXTS_H_
