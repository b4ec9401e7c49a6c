#include "ids.h"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace manyarms::python {
namespace {

std::string TypeName(nb::handle object) {
  return nb::cast<std::string>(nb::str(object.type().attr("__name__")));
}

[[noreturn]] void WrongKind(const char* what, nb::handle got) {
  throw nb::type_error(
      fmt::format("{} must be a list, tuple, range or one-dimensional array of "
                  "ints or of strings, not {}",
                  what, TypeName(got))
          .c_str());
}

[[noreturn]] void Negative(const char* what) {
  throw nb::value_error(
      fmt::format("{} must not be negative", what).c_str());
}

std::string ParseText(nb::handle text) {
  Py_ssize_t length = 0;
  const char* utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &length);
  if (utf8 == nullptr) throw nb::python_error();  // half of a surrogate pair
  return {utf8, static_cast<std::size_t>(length)};
}

template <class Int>
Numbers FromArray(const nb::ndarray<nb::ro>& array, const char* what) {
  const auto* value = static_cast<const Int*>(array.data());
  const std::int64_t stride = array.stride(0);
  Numbers numbers(array.shape(0));
  for (std::uint64_t& number : numbers) {
    if (std::is_signed_v<Int> && *value < 0) Negative(what);
    number = static_cast<std::uint64_t>(*value);
    value += stride;
  }
  return numbers;
}

// Of an array whose elements are ints of some size.
Numbers FromArray(const nb::ndarray<nb::ro>& array, nb::handle given,
                  const char* what) {
  if (array.ndim() != 1) {
    throw nb::type_error(
        fmt::format("{} must be a one-dimensional array, this one has {} "
                    "dimensions",
                    what, array.ndim())
            .c_str());
  }
  const nb::dlpack::dtype type = array.dtype();
  if (type == nb::dtype<std::int64_t>()) {
    return FromArray<std::int64_t>(array, what);
  }
  if (type == nb::dtype<std::uint64_t>()) {
    return FromArray<std::uint64_t>(array, what);
  }
  if (type == nb::dtype<std::int32_t>()) {
    return FromArray<std::int32_t>(array, what);
  }
  if (type == nb::dtype<std::uint32_t>()) {
    return FromArray<std::uint32_t>(array, what);
  }
  if (type == nb::dtype<std::int16_t>()) {
    return FromArray<std::int16_t>(array, what);
  }
  if (type == nb::dtype<std::uint16_t>()) {
    return FromArray<std::uint16_t>(array, what);
  }
  if (type == nb::dtype<std::int8_t>()) {
    return FromArray<std::int8_t>(array, what);
  }
  if (type == nb::dtype<std::uint8_t>()) {
    return FromArray<std::uint8_t>(array, what);
  }
  throw nb::type_error(
      fmt::format("{} must be ints or strings, not an array of {}", what,
                  nb::cast<std::string>(nb::str(given.attr("dtype"))))
          .c_str());
}

PyIds FromSequence(nb::handle sequence, const char* what) {
  Numbers numbers;
  Texts texts;
  const std::size_t length = nb::len(sequence);
  for (nb::handle item : nb::borrow(sequence)) {
    if (PyUnicode_Check(item.ptr())) {
      texts.push_back(ParseText(item));
    } else {
      numbers.push_back(ParseNumber(item, what));
    }
  }
  if (texts.size() == length && length > 0) return texts;
  if (numbers.size() == length) return numbers;
  throw nb::type_error(
      fmt::format("{} must be all ints or all strings, not some of both", what)
          .c_str());
}

}  // namespace

std::uint64_t ParseNumber(nb::handle number, const char* what) {
  if (PyBool_Check(number.ptr()) || !PyIndex_Check(number.ptr())) {
    throw nb::type_error(fmt::format("{} must be ints or strings, not {}", what,
                                     TypeName(number))
                             .c_str());
  }
  const nb::object index = nb::steal(PyNumber_Index(number.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  const std::uint64_t value = PyLong_AsUnsignedLongLong(index.ptr());
  if (value == ~std::uint64_t{0} && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw nb::value_error(
        fmt::format("{} must be from 0 to 2**64 - 1, not {}", what,
                    nb::cast<std::string>(nb::str(index)))
            .c_str());
  }
  return value;
}

PyArm ParseArm(nb::handle arm) {
  if (PyUnicode_Check(arm.ptr())) return ParseText(arm);
  return ParseNumber(arm, "an arm's id");
}

PyIds ParseIds(nb::handle ids, const char* what) {
  if (PyList_Check(ids.ptr()) || PyTuple_Check(ids.ptr()) ||
      Py_TYPE(ids.ptr()) == &PyRange_Type) {
    return FromSequence(ids, what);
  }
  if (nb::hasattr(ids, "to_numpy")) {
    return ParseIds(ids.attr("to_numpy")(), what);
  }
  nb::ndarray<nb::ro> array;
  if (nb::try_cast(ids, array)) return FromArray(array, ids, what);
  // An array of strings, which knows no other way out.
  if (nb::hasattr(ids, "dtype") && nb::hasattr(ids, "tolist")) {
    const nb::object list = ids.attr("tolist")();
    if (PyList_Check(list.ptr())) return FromSequence(list, what);
  }
  WrongKind(what, ids);
}

}  // namespace manyarms::python
