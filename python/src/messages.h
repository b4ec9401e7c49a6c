#ifndef MANYARMS_PYTHON_MESSAGES_H_
#define MANYARMS_PYTHON_MESSAGES_H_

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <vector>

#include "ids.h"

/// What learners and shards of arms pass and return.
namespace manyarms::python {

/// Refers to the object.
inline std::string_view View(const nanobind::bytes& bytes) {
  return {bytes.c_str(), bytes.size()};
}

inline nanobind::bytes AsBytes(const std::string& bytes) {
  return nanobind::bytes(bytes.data(), bytes.size());
}

inline std::vector<std::string> CopyAll(
    const std::vector<nanobind::bytes>& messages) {
  std::vector<std::string> copies;
  copies.reserve(messages.size());
  for (const nanobind::bytes& message : messages) {
    copies.emplace_back(View(message));
  }
  return copies;
}

/// Ids that must be ints. Throws TypeError or ValueError.
inline Numbers ParseNumbers(nanobind::handle ids) {
  PyIds parsed = ParseIds(ids, {"ids", "ints"});
  if (auto* numbers = std::get_if<Numbers>(&parsed)) return std::move(*numbers);
  throw nanobind::type_error("ids must be ints, not strings");
}

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_MESSAGES_H_
