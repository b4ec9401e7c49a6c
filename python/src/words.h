#ifndef MANYARMS_PYTHON_WORDS_H_
#define MANYARMS_PYTHON_WORDS_H_

#include <nanobind/nanobind.h>

#include <string>

/// What messages to the caller say about Python objects.
namespace manyarms::python {

inline std::string Text(nanobind::handle object) {
  return nanobind::str(object).c_str();
}

/// A value as Python prints it: True, 1.0, 'text'.
template <class Value>
std::string PythonText(const Value& value) {
  return Text(nanobind::repr(nanobind::cast(value)));
}

inline std::string TypeName(nanobind::handle object) {
  return Text(nanobind::object(object.type().attr("__name__")));
}

/// The type of an array's elements.
inline std::string ElementName(nanobind::handle array) {
  return Text(nanobind::object(array.attr("dtype")));
}

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_WORDS_H_
