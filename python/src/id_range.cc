#include "id_range.h"

#include <algorithm>
#include <optional>

namespace manyarms::python {
namespace {

// The range that distinct ids in any order are, if they are one.
std::optional<IdRange> RangeOf(std::span<const ArmId> ids) {
  if (ids.empty()) return IdRange{};
  const auto [least, most] = std::ranges::minmax(ids);
  if (most - least != ids.size() - 1) return std::nullopt;
  return IdRange{.first = least, .count = ids.size()};
}

}  // namespace

void AllIds::Assign(std::span<const ArmId> ids) {
  const std::optional<IdRange> range = RangeOf(ids);
  known_ = range.has_value();
  all_ = range.value_or(IdRange{.count = ids.size()});
}

void AllIds::Add(std::span<const ArmId> ids) {
  if (ids.empty()) return;
  const std::optional<IdRange> more = RangeOf(ids);
  if (all_.count == 0) {
    Assign(ids);
    return;
  }
  const bool before = more && more->first + more->count == all_.first;
  const bool after = more && all_.first + all_.count == more->first;
  known_ = known_ && (before || after);
  if (before) all_.first = more->first;
  all_.count += ids.size();
}

void AllIds::Remove(std::span<const ArmId> ids) {
  if (ids.empty()) return;
  const std::optional<IdRange> less = RangeOf(ids);
  const ArmId end = all_.first + all_.count;
  const bool at_start = less && less->first == all_.first;
  const bool at_end = less && less->first + less->count == end;
  all_.count -= ids.size();
  known_ = all_.count == 0 || (known_ && (at_start || at_end));
  if (at_start) all_.first += ids.size();
}

}  // namespace manyarms::python
