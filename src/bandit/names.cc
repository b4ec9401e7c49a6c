#include "manyarms/names.h"

#include <fmt/format.h>

#include <map>

#include "base/bytes.h"
#include "base/utf8.h"
#include "manyarms/error.h"

namespace manyarms {

ArmId Names::Add(std::string_view name) {
  const auto found = ids_.find(name);
  if (found != ids_.end()) return found->second;
  const std::size_t good = Utf8PrefixLength(name);
  if (good < name.size()) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("the name is not UTF-8: byte {} of {}, counted "
                    "from 0, is {:#04x}",
                    good, name.size(), static_cast<unsigned char>(name[good])));
  }
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

void Names::Save(ByteWriter& writer) const {
  writer.Transfer(next_);
  writer.Transfer(std::uint64_t{names_.size()});
  // In order, so that equal names make equal files.
  const std::map<ArmId, const std::string*> in_order(names_.begin(),
                                                     names_.end());
  for (const auto& [id, name] : in_order) {
    writer.Transfer(id);
    writer.Transfer(std::uint64_t{name->size()});
    writer.Values(std::span<const char>(*name));
  }
}

void Names::Restore(ByteReader& reader) {
  reader.Transfer(next_);
  CheckSaved(next_ < ~ArmId{0} / 2, "its names are out of bounds");
  const std::size_t count = reader.Count(2 * sizeof(std::uint64_t));
  for (std::size_t i = 0; i < count; ++i) {
    const auto id = reader.Next<ArmId>();
    std::string name(reader.Count(1), '\0');
    reader.Values(std::span<char>(name));
    CheckSaved(Utf8PrefixLength(name) == name.size(),
               "a name in it is not UTF-8");
    const auto [added, is_new] = ids_.emplace(std::move(name), id);
    CheckSaved(is_new && id < next_ && names_.emplace(id, &added->first).second,
               "its names are mixed up");
  }
}

}  // namespace manyarms
