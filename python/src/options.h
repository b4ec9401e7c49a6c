#ifndef MANYARMS_PYTHON_OPTIONS_H_
#define MANYARMS_PYTHON_OPTIONS_H_

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <optional>
#include <string>
#include <variant>

#include "manyarms/bandit.h"

namespace manyarms::python {

/// What Python may say where the library has a variant: a name, which stands
/// for the defaults, or an object with options.
using PySearch = std::variant<std::string, CertifiedOptions, ScanOptions,
                              HnswOptions, LshOptions, LshTheoryOptions>;
using PyExploration = std::variant<double, TheoryRadius>;

/// Throws Error(kInvalidArgument) for names that there are not, and for an
/// accuracy where there is none.
PolicyOptions MakePolicyOptions(const std::string& policy,
                                const PyExploration& exploration,
                                std::optional<double> accuracy);
SearchOptions MakeSearchOptions(const PySearch& search);

/// The way back.
PyExploration ExplorationOf(const PolicyOptions& policy);
nanobind::object SearchObject(const SearchOptions& search);

void BindOptions(nanobind::module_& module);

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_OPTIONS_H_
