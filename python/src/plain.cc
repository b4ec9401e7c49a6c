#include "plain.h"

#include <fmt/format.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "words.h"

namespace nb = nanobind;

namespace manyarms::python {
namespace {

// Whether elements are aligned, as C++ needs them to be. nanobind checks that
// strides are multiples of their size.
bool LiesStraight(nb::handle object) {
  nb::ndarray<nb::ro> array;
  if (!nb::try_cast(object, array)) return false;
  const std::size_t size = std::max(1, array.dtype().bits / 8);
  return reinterpret_cast<std::uintptr_t>(array.data()) % size == 0;
}

bool HasNumbers(nb::handle array) {
  const nb::object dtype = array.attr("dtype");
  return nb::hasattr(dtype, "kind") &&
         std::string_view("fiub").find(Text(nb::object(dtype.attr("kind")))) !=
             std::string_view::npos;
}

// A Table or a RecordBatch of pyarrow has no to_numpy.
bool IsArrowTable(nb::handle object) {
  return nb::hasattr(object, "schema") && nb::hasattr(object, "num_rows");
}

}  // namespace

nb::object Plain(nb::handle given, const char* name) {
  const bool converts = nb::hasattr(given, "to_numpy") || IsArrowTable(given);
  nb::object plain = converts ? nb::module_::import_("manyarms._columns")
                                    .attr("as_array")(given, name)
                              : nb::borrow(given);
  if (PyList_Check(plain.ptr()) || PyTuple_Check(plain.ptr())) return plain;
  if (!nb::hasattr(plain, "dtype")) return plain;
  if (nb::hasattr(plain, "mask")) {
    throw nb::type_error(
        fmt::format("{} must not be a masked array: what is behind the mask "
                    "would count",
                    name)
            .c_str());
  }
  if (LiesStraight(plain) || !HasNumbers(plain)) return plain;
  return plain.attr("copy")();
}

}  // namespace manyarms::python
