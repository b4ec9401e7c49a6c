#ifndef MANYARMS_PYTHON_OPTIONS_H_
#define MANYARMS_PYTHON_OPTIONS_H_

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "manyarms/bandit.h"

namespace manyarms::python {

/// What Python may pass where the library has a variant: a name, which stands
/// for the defaults, or an object with options.
template <class Variant>
struct OrName;
template <class... Options>
struct OrName<std::variant<Options...>> {
  using Type = std::variant<std::string, Options...>;
};
using PySearch = OrName<SearchOptions>::Type;
using PyExploration = std::variant<double, TheoryRadius>;

/// `more` has the other options of the policy by name. None stands for the
/// policy's default. Throws Error(kInvalidArgument) for an unknown policy and
/// for an option of another policy. An option that no policy has, or a value of
/// the wrong type, becomes Python's TypeError.
PolicyOptions MakePolicyOptions(const std::string& policy,
                                const std::optional<PyExploration>& exploration,
                                const nanobind::dict& more);
/// Throws Error(kInvalidArgument) for an unknown name.
SearchOptions MakeSearchOptions(const PySearch& search);

/// These convert back.
PyExploration ExplorationOf(const PolicyOptions& policy);
nanobind::object SearchObject(const SearchOptions& search);

/// An option of policies other than the exploration.
struct PolicyField {
  std::string name;
  std::string type;  ///< in Python
  std::string help;
  std::string owners;  ///< the policies that have it: "'elim'"
};
std::vector<PolicyField> PolicyFields();
/// The default of an option as Python prints it; if policies have different
/// defaults, "2.0 for 'ts', 1.0 for 'ucb'".
std::string PolicyDefault(std::string_view field);
/// None for a policy that does not have it.
nanobind::object PolicyValue(const PolicyOptions& policy,
                             std::string_view field);

void BindOptions(nanobind::module_& module);

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_OPTIONS_H_
