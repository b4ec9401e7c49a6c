#ifndef MANYARMS_PYTHON_IDS_H_
#define MANYARMS_PYTHON_IDS_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "manyarms/types.h"

namespace manyarms::python {

/// An arm as Python knows it.
using PyArm = std::variant<ArmId, std::string>;

/// Several of one kind.
using Numbers = std::vector<std::uint64_t>;
using Texts = std::vector<std::string>;
using PyIds = std::variant<Numbers, Texts>;

inline std::size_t Count(const PyIds& ids) {
  return std::visit([](const auto& list) { return list.size(); }, ids);
}

/// Takes lists, tuples, ranges and one-dimensional arrays of ints or strings,
/// and pandas' columns of them. `what` is what the caller calls them. Throws
/// TypeError or ValueError.
PyIds ParseIds(nanobind::handle ids, const char* what);

/// One int or string.
PyArm ParseArm(nanobind::handle arm);

/// An int, not negative, of 64 bits at most. A bool is none.
std::uint64_t ParseNumber(nanobind::handle number, const char* what);

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_IDS_H_
