#ifndef MANYARMS_PYTHON_IDS_H_
#define MANYARMS_PYTHON_IDS_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "manyarms/types.h"

namespace manyarms::python {

/// An arm's id in Python.
using PyArm = std::variant<ArmId, std::string>;

/// Several ids, all of one kind.
using Numbers = std::vector<std::uint64_t>;
using Texts = std::vector<std::string>;
using PyIds = std::variant<Numbers, Texts>;

inline std::size_t Count(const PyIds& ids) {
  return std::visit([](const auto& list) { return list.size(); }, ids);
}

/// What is parsed, for messages: "`name` must be `kind`".
struct Wanted {
  const char* name;
  const char* kind;
};
inline constexpr Wanted kIds = {"ids", "ints or strings"};

/// Takes lists, tuples, ranges and one-dimensional arrays of ints or strings,
/// and pandas columns of them. Throws TypeError or ValueError.
PyIds ParseIds(nanobind::handle ids, const Wanted& wanted);

/// One int or string.
PyArm ParseId(nanobind::handle id, const Wanted& wanted);
inline PyArm ParseArm(nanobind::handle arm) {
  return ParseId(arm, {"an arm's id", "an int or a string"});
}

/// A non-negative int of at most 64 bits. A bool is refused.
std::uint64_t ParseNumber(nanobind::handle number, const Wanted& wanted);

/// Converts ids to Python: a list of strings, or an array of ints. The array is
/// of signed ints if the ids fit, because these work better with other arrays.
nanobind::object AsArray(PyIds ids);

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_IDS_H_
