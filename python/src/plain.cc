#include "plain.h"

#include <fmt/format.h>

namespace nb = nanobind;

namespace manyarms::python {
namespace {

// Elements at addresses and distances that are multiples of their size, as C++
// must have them.
bool LiesStraight(nb::handle array) {
  if (!nb::cast<bool>(array.attr("flags").attr("aligned"))) return false;
  const auto size = nb::cast<std::ptrdiff_t>(array.attr("itemsize"));
  for (nb::handle stride : nb::object(array.attr("strides"))) {
    if (size > 0 && nb::cast<std::ptrdiff_t>(stride) % size != 0) return false;
  }
  return true;
}

}  // namespace

nb::object Plain(nb::handle given, const char* name) {
  nb::object plain = nb::hasattr(given, "to_numpy")
                         ? nb::object(given.attr("to_numpy")())
                         : nb::borrow(given);
  if (PyList_Check(plain.ptr()) || PyTuple_Check(plain.ptr())) return plain;
  if (!nb::hasattr(plain, "__array_interface__")) return plain;
  const nb::module_ numpy = nb::module_::import_("numpy");
  if (nb::isinstance(plain, numpy.attr("ma").attr("MaskedArray"))) {
    throw nb::type_error(
        fmt::format("{} must not be a masked array: what is behind the mask "
                    "would count",
                    name)
            .c_str());
  }
  if (nb::isinstance(plain, numpy.attr("ndarray")) && !LiesStraight(plain)) {
    return plain.attr("copy")();
  }
  return plain;
}

}  // namespace manyarms::python
