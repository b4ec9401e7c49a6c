#include "rows.h"

#include <fmt/format.h>

#include <cmath>

#include "manyarms/error.h"
#include "manyarms/types.h"
#include "plain.h"
#include "words.h"

namespace nb = nanobind;

namespace manyarms::python {
namespace {

const char* ShapeName(Rows rows) {
  switch (rows) {
    case Rows::kOne:
      return "one-dimensional";
    case Rows::kMany:
      return "two-dimensional";
    case Rows::kEither:
      return "one- or two-dimensional";
  }
  return "";
}

[[noreturn]] void WrongType(const std::string& message) {
  throw nb::type_error(message.c_str());
}

bool IsList(nb::handle object) {
  return PyList_Check(object.ptr()) || PyTuple_Check(object.ptr());
}

// A list of numbers, of lists of numbers or of rows, as NumPy understands it.
nb::object FromList(nb::handle list, const char* name) {
  for (nb::handle row : nb::borrow(list)) {
    if (nb::hasattr(row, "mask")) Plain(row, name);  // refuses it
  }
  try {
    return nb::module_::import_("numpy").attr("array")(list);
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_ValueError)) throw;
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} must be numbers, in rows of one length", name));
  }
}

bool IsInteger(nb::dlpack::dtype type) {
  const auto code = static_cast<nb::dlpack::dtype_code>(type.code);
  return code == nb::dlpack::dtype_code::Int ||
         code == nb::dlpack::dtype_code::UInt;
}

// A float32 or float64 array in the processor's memory. Integers become
// float64, which can represent all that the library accepts, and shows the
// others in messages.
nb::ndarray<nb::ro> ParseFloats(nb::handle given, Rows rows, const char* name) {
  nb::object values = Plain(given, name);
  if (IsList(values)) values = FromList(values, name);
  if (nb::hasattr(values, "toarray")) {
    WrongType(
        fmt::format("{0} must be dense, not {1}; {0}.toarray() makes them so",
                    name, TypeName(values)));
  }
  nb::ndarray<nb::ro> array;
  const bool is_array = nb::hasattr(values, "__dlpack__") ||
                        nb::hasattr(values, "__array_interface__");
  if (!is_array || !nb::try_cast(values, array)) {
    WrongType(
        fmt::format("{0} must be a {1} array or list of numbers, not {2}; "
                    "numpy.array({0}, dtype=numpy.float32) makes one",
                    name, ShapeName(rows),
                    nb::hasattr(values, "dtype")
                        ? fmt::format("an array of {}", ElementName(values))
                        : TypeName(values)));
  }
  if (array.device_type() != nb::device::cpu::value) {
    WrongType(fmt::format("{} must be in the processor's memory", name));
  }
  if (IsInteger(array.dtype())) {
    array = nb::cast<nb::ndarray<nb::ro>>(
        nb::module_::import_("numpy").attr("asarray")(values, "float64"));
  }
  const bool floats = array.dtype() == nb::dtype<float>() ||
                      array.dtype() == nb::dtype<double>();
  if (!floats) {
    WrongType(fmt::format(
        "{} must be float32, float64 or integers, not an array of {}", name,
        ElementName(values)));
  }
  const bool fits = rows == Rows::kEither
                        ? array.ndim() == 1 || array.ndim() == 2
                        : array.ndim() == (rows == Rows::kOne ? 1 : 2);
  if (!fits) {
    WrongType(fmt::format("{} must be a {} array, this one has {} dimensions",
                          name, ShapeName(rows), array.ndim()));
  }
  return array;
}

// Complex numbers would lose a part, and bytes are no rewards.
bool IsReal(nb::handle array) {
  if (!nb::hasattr(array.attr("dtype"), "kind")) return true;
  const std::string kind = Text(nb::object(array.attr("dtype").attr("kind")));
  return std::string_view("fiubO").find(kind) != std::string_view::npos;
}

FeatureRows RowsOf(const nb::ndarray<nb::ro>& array, std::size_t rows,
                   std::size_t columns, FeatureRows::Strides strides) {
  if (array.dtype() == nb::dtype<float>()) {
    return {static_cast<const float*>(array.data()), rows, columns, strides};
  }
  return {static_cast<const double*>(array.data()), rows, columns, strides};
}

}  // namespace

PyRows ParseRows(nb::handle features, std::size_t dim, Rows wanted,
                 const char* name) {
  // An empty list does not say how long its rows are.
  if (IsList(features) && nb::len(features) == 0 && wanted != Rows::kOne) {
    const float* const none = nullptr;
    return {{}, {none, 0, dim, {}}, false};
  }
  nb::ndarray<nb::ro> array = ParseFloats(features, wanted, name);
  const bool is_one = array.ndim() == 1;
  const FeatureRows rows =
      is_one ? RowsOf(array, 1, array.shape(0), {.column = array.stride(0)})
             : RowsOf(array, array.shape(0), array.shape(1),
                      {.row = array.stride(0), .column = array.stride(1)});
  return {std::move(array), rows, is_one};
}

std::vector<float> ParseRow(nb::handle features) {
  const PyRows parsed = ParseRows(features, 0, Rows::kOne);
  const FeatureRows& given = parsed.rows;
  std::vector<float> row(given.columns());
  given.Copy(0, row);
  // The library sees floats, so its message could not name these values.
  for (std::size_t j = 0; j < row.size(); ++j) {
    const double value = given.At(0, j);
    if (std::isinf(row[j]) && std::isfinite(value)) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("feature {} is {}, must be at most {:g} in "
                              "magnitude",
                              j, value, kMaxFeature));
    }
  }
  return row;
}

std::vector<double> ParseRewards(nb::handle given) {
  const nb::object rewards = Plain(given, "rewards");
  nb::ndarray<nb::ro, double, nb::ndim<1>, nb::c_contig, nb::device::cpu> array;
  const bool is_array = nb::hasattr(rewards, "dtype");
  if (is_array && !IsReal(rewards)) {
    throw nb::type_error(fmt::format("rewards must be real, not an array of {}",
                                     ElementName(rewards))
                             .c_str());
  }
  if (is_array && nb::try_cast(rewards, array)) {
    return {array.data(), array.data() + array.size()};
  }
  const bool is_text = PyUnicode_Check(rewards.ptr()) ||
                       PyBytes_Check(rewards.ptr()) ||
                       PyByteArray_Check(rewards.ptr());
  if (is_text || !PySequence_Check(rewards.ptr())) {
    throw nb::type_error(
        fmt::format("rewards must be a list or one-dimensional array of "
                    "numbers, not {}",
                    TypeName(rewards))
            .c_str());
  }
  std::vector<double> values;
  values.reserve(nb::len(rewards));
  for (nb::handle reward : rewards) {
    const double value = PyFloat_AsDouble(reward.ptr());
    if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    values.push_back(value);
  }
  return values;
}

}  // namespace manyarms::python
