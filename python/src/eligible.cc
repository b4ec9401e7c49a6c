#include "eligible.h"

#include <fmt/format.h>
#include <nanobind/ndarray.h>

#include <optional>

#include "plain.h"

namespace nb = nanobind;

namespace manyarms::python {
namespace {

// A byte of a NumPy array of bools may have any value, but a C++ bool must be 0
// or 1.
PyMask CopyMask(nb::handle given) {
  const nb::object bytes =
      nb::module_::import_("numpy").attr("ascontiguousarray")(given).attr(
          "view")("uint8");
  const auto array =
      nb::cast<nb::ndarray<nb::ro, std::uint8_t, nb::ndim<1>>>(bytes);
  PyMask mask{std::make_unique<bool[]>(array.size()), array.size()};
  for (std::size_t i = 0; i < mask.size; ++i) {
    mask.values[i] = array.data()[i] != 0;
  }
  return mask;
}

// Of ids one after another; other ranges are read as lists are.
std::optional<IdRange> ParseRange(nb::handle given) {
  if (Py_TYPE(given.ptr()) != &PyRange_Type) return std::nullopt;
  const std::size_t count = nb::len(given);
  nb::handle step = given.attr("step");
  if (count == 0 || !step.equal(nb::int_(1))) return std::nullopt;
  const Wanted wanted{"eligible", "ints or strings"};
  const ArmId first = ParseNumber(given[0], wanted);
  ParseNumber(given[count - 1], wanted);
  return IdRange{.first = first, .count = count};
}

}  // namespace

PyEligible ParseEligible(nb::handle eligible) {
  if (eligible.is_none()) return {};
  if (const auto range = ParseRange(eligible)) return *range;
  const nb::object given = Plain(eligible, "eligible");
  nb::ndarray<nb::ro, nb::device::cpu> array;
  // nanobind would convert any array to bools, so its type is compared here.
  if (nb::hasattr(given, "dtype") && nb::try_cast(given, array) &&
      array.dtype() == nb::dtype<bool>()) {
    if (array.ndim() != 1) {
      throw nb::type_error(
          fmt::format("a mask must have one dimension, this one has {}",
                      array.ndim())
              .c_str());
    }
    return CopyMask(given);
  }
  if (PyList_Check(given.ptr()) && nb::len(given) > 0 &&
      PyBool_Check(nb::object(given[0]).ptr())) {
    throw nb::type_error(
        "eligible must be ids, or a mask as an array: numpy.array(eligible)");
  }
  return ParseIds(given, {"eligible", "ints or strings"});
}

}  // namespace manyarms::python
