#include "manyarms/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "manyarms/error.h"

namespace manyarms {

namespace {

void CheckName(std::string_view name) {
  const std::size_t good = Utf8PrefixLength(name);
  if (good == name.size()) return;
  throw Error(
      ErrorCode::kInvalidArgument,
      fmt::format("a name is not UTF-8: byte {} of {}, counted from 0, is "
                  "{:#04x}",
                  good, name.size(), static_cast<unsigned char>(name[good])));
}

}  // namespace

ArmId Names::Add(std::string_view name) {
  const auto found = ids_.find(name);
  if (found != ids_.end()) return found->second;
  CheckName(name);
  const auto added = ids_.emplace(name, next_).first;
  try {
    names_.emplace(next_, &added->first);
  } catch (...) {  // out of memory
    ids_.erase(added);
    throw;
  }
  return next_++;
}

ArmId Names::At(std::string_view name) const {
  const auto found = ids_.find(name);
  if (found == ids_.end()) {
    throw Error(ErrorCode::kUnknownId,
                fmt::format("there is no arm '{}' among {}", name, size()));
  }
  return found->second;
}

bool Names::Contains(std::string_view name) const {
  return ids_.find(name) != ids_.end();
}

void Names::Remove(ArmId id) {
  const auto found = names_.find(id);
  ids_.erase(ids_.find(*found->second));
  names_.erase(found);
}

std::vector<Names::Entry> Names::Entries() const {
  std::vector<Entry> entries;
  entries.reserve(names_.size());
  for (const auto& [id, name] : names_) entries.push_back({id, *name});
  std::ranges::sort(entries, {}, &Entry::id);
  return entries;
}

Names Names::FromEntries(std::uint64_t given, std::vector<Entry> entries) {
  Names names;
  names.next_ = given;
  for (Entry& entry : entries) {
    CheckName(entry.name);
    const auto [added, is_new] =
        names.ids_.emplace(std::move(entry.name), entry.id);
    if (!is_new || entry.id >= given ||
        !names.names_.emplace(entry.id, &added->first).second) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("name {} of {} occurs twice or is out of bounds",
                              entry.id, given));
    }
  }
  return names;
}

}  // namespace manyarms
