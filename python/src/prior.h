#ifndef MANYARMS_PYTHON_PRIOR_H_
#define MANYARMS_PYTHON_PRIOR_H_

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <variant>

#include "manyarms/prior.h"

namespace manyarms::python {

/// What Python may pass as the prior of a population.
using PyPrior = std::variant<std::string, GaussianPrior, SharedPrior>;

/// Throws Error(kInvalidArgument) for an unknown name.
PopulationPrior MakePrior(const PyPrior& prior);

/// That of a bandit; none stands for an independent one. Throws
/// Error(kInvalidArgument) for a shared one.
std::optional<GaussianPrior> MakeBanditPrior(
    const std::optional<PyPrior>& prior);

void BindPriors(nanobind::module_& module);

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_PRIOR_H_
