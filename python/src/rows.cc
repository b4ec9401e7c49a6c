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

// A float32 or float64 array on the processor, of so many dimensions.
nb::ndarray<nb::ro> ParseFloats(nb::handle given, std::size_t dimensions) {
  const char* const shape =
      dimensions == 2 ? "two-dimensional" : "one-dimensional";
  const nb::object features = Plain(given, "features");
  nb::ndarray<nb::ro> array;
  const bool is_array = nb::hasattr(features, "__dlpack__") ||
                        nb::hasattr(features, "__array_interface__");
  if (!is_array || !nb::try_cast(features, array)) {
    throw nb::type_error(
        fmt::format(
            "features must be a {} array of float32 or float64, not {}; "
            "numpy.array(features, dtype=numpy.float32) makes one",
            shape,
            nb::hasattr(features, "dtype")
                ? fmt::format("an array of {}", ElementName(features))
                : TypeName(features))
            .c_str());
  }
  const bool floats = array.dtype() == nb::dtype<float>() ||
                      array.dtype() == nb::dtype<double>();
  if (!floats) {
    throw nb::type_error(
        fmt::format("features must be float32 or float64, not an array of {}",
                    ElementName(features))
            .c_str());
  }
  if (array.device_type() != nb::device::cpu::value) {
    throw nb::type_error("features must be in the processor's memory");
  }
  if (array.ndim() != dimensions) {
    throw nb::type_error(
        fmt::format("features must be a {} array, this one has {} dimensions",
                    shape, array.ndim())
            .c_str());
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

PyRows ParseRows(nb::handle features) {
  nb::ndarray<nb::ro> array = ParseFloats(features, 2);
  const FeatureRows rows =
      RowsOf(array, array.shape(0), array.shape(1),
             {.row = array.stride(0), .column = array.stride(1)});
  return {std::move(array), rows};
}

std::vector<float> ParseRow(nb::handle features) {
  const nb::ndarray<nb::ro> array = ParseFloats(features, 1);
  std::vector<float> row(array.shape(0));
  const FeatureRows given =
      RowsOf(array, 1, row.size(), {.column = array.stride(0)});
  given.Copy(0, row);
  // The library, which sees floats, could not name these.
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
