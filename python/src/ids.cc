#include "ids.h"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>

#include "arrays.h"
#include "plain.h"
#include "words.h"

namespace nb = nanobind;

namespace manyarms::python {
namespace {

using CpuArray = nb::ndarray<nb::ro, nb::device::cpu>;

[[noreturn]] void WrongType(const std::string& message) {
  throw nb::type_error(message.c_str());
}

[[noreturn]] void OutOfRange(const Wanted& wanted, nb::handle number) {
  throw nb::value_error(fmt::format("{} must be from 0 to 2**64 - 1, not {}",
                                    wanted.name, Text(number))
                            .c_str());
}

std::string ParseText(nb::handle text) {
  Py_ssize_t length = 0;
  const char* utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &length);
  if (utf8 == nullptr) throw nb::python_error();  // half of a surrogate pair
  return {utf8, static_cast<std::size_t>(length)};
}

template <class Int>
Numbers FromArray(const CpuArray& array, const Wanted& wanted) {
  const auto* value = static_cast<const Int*>(array.data());
  const std::int64_t stride = array.stride(0);
  Numbers numbers(array.shape(0));
  for (std::uint64_t& number : numbers) {
    if (std::is_signed_v<Int> && *value < 0) {
      OutOfRange(wanted, nb::int_(*value));
    }
    number = static_cast<std::uint64_t>(*value);
    value += stride;
  }
  return numbers;
}

// The ids in an array of ints of any size.
Numbers FromArray(const CpuArray& array, nb::handle given,
                  const Wanted& wanted) {
  if (array.ndim() != 1) {
    WrongType(
        fmt::format("{} must be a one-dimensional array, this one has {} "
                    "dimensions",
                    wanted.name, array.ndim()));
  }
  if (array.shape(0) == 0) return {};  // NumPy makes empty arrays of floats
  const nb::dlpack::dtype type = array.dtype();
  if (type == nb::dtype<std::int64_t>()) {
    return FromArray<std::int64_t>(array, wanted);
  }
  if (type == nb::dtype<std::uint64_t>()) {
    return FromArray<std::uint64_t>(array, wanted);
  }
  if (type == nb::dtype<std::int32_t>()) {
    return FromArray<std::int32_t>(array, wanted);
  }
  if (type == nb::dtype<std::uint32_t>()) {
    return FromArray<std::uint32_t>(array, wanted);
  }
  if (type == nb::dtype<std::int16_t>()) {
    return FromArray<std::int16_t>(array, wanted);
  }
  if (type == nb::dtype<std::uint16_t>()) {
    return FromArray<std::uint16_t>(array, wanted);
  }
  if (type == nb::dtype<std::int8_t>()) {
    return FromArray<std::int8_t>(array, wanted);
  }
  if (type == nb::dtype<std::uint8_t>()) {
    return FromArray<std::uint8_t>(array, wanted);
  }
  WrongType(fmt::format("{} must be {}, not an array of {}", wanted.name,
                        wanted.kind, ElementName(given)));
}

PyIds FromSequence(nb::handle sequence, const Wanted& wanted) {
  Numbers numbers;
  Texts texts;
  const std::size_t length = nb::len(sequence);
  for (nb::handle item : nb::borrow(sequence)) {
    if (PyUnicode_Check(item.ptr())) {
      texts.push_back(ParseText(item));
    } else {
      numbers.push_back(ParseNumber(item, wanted));
    }
  }
  if (texts.size() == length && length > 0) return texts;
  if (numbers.size() == length) return numbers;
  WrongType(fmt::format("{} must be all ints or all strings, not some of both",
                        wanted.name));
}

}  // namespace

std::uint64_t ParseNumber(nb::handle number, const Wanted& wanted) {
  if (PyBool_Check(number.ptr()) || !PyIndex_Check(number.ptr())) {
    WrongType(fmt::format("{} must be {}, not {}", wanted.name, wanted.kind,
                          TypeName(number)));
  }
  const nb::object index = nb::steal(PyNumber_Index(number.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  const std::uint64_t value = PyLong_AsUnsignedLongLong(index.ptr());
  if (value == ~std::uint64_t{0} && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    OutOfRange(wanted, index);
  }
  return value;
}

PyArm ParseId(nb::handle id, const Wanted& wanted) {
  if (PyUnicode_Check(id.ptr())) return ParseText(id);
  return ParseNumber(id, wanted);
}

PyIds ParseIds(nb::handle given, const Wanted& wanted) {
  if (PyList_Check(given.ptr()) || PyTuple_Check(given.ptr()) ||
      Py_TYPE(given.ptr()) == &PyRange_Type) {
    return FromSequence(given, wanted);
  }
  const nb::object ids = Plain(given, wanted.name);
  const bool is_array = nb::hasattr(ids, "dtype");
  CpuArray array;
  if (is_array && nb::try_cast(ids, array)) {
    return FromArray(array, ids, wanted);
  }
  // Arrays of strings, of objects, and of ints with the other byte order can
  // only be read as lists.
  if (is_array && nb::hasattr(ids, "tolist")) {
    const std::string kind = Text(nb::object(ids.attr("dtype").attr("kind")));
    if (std::string_view("UTOiu").find(kind) == std::string_view::npos) {
      WrongType(fmt::format("{} must be {}, not an array of {}", wanted.name,
                            wanted.kind, ElementName(ids)));
    }
    const nb::object list = ids.attr("tolist")();
    if (PyList_Check(list.ptr())) return FromSequence(list, wanted);
  }
  WrongType(
      fmt::format("{} must be a list, tuple, range or one-dimensional array of "
                  "{}, not {}",
                  wanted.name, wanted.kind, TypeName(given)));
}

nb::object AsArray(PyIds ids) {
  if (const auto* texts = std::get_if<Texts>(&ids)) return nb::cast(*texts);
  auto& numbers = std::get<Numbers>(ids);
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (std::ranges::all_of(numbers, [](auto id) { return id <= kMost; })) {
    return Array(std::vector<std::int64_t>(numbers.begin(), numbers.end()));
  }
  return Array(std::move(numbers));
}

}  // namespace manyarms::python
