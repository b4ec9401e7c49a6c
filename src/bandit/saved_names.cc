#include "bandit/saved_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "manyarms/error.h"

namespace manyarms {
namespace {

bool AllNamed(const ArmStore& store, const Names& names) {
  return names.size() == store.size() &&
         std::ranges::all_of(store.Slots(), [&](Slot slot) {
           return names.Find(store.id(slot)) != nullptr;
         });
}

}  // namespace

void CheckNames(const Names* names, const ArmStore& store) {
  if (names == nullptr || names->given() == 0 || AllNamed(store, *names)) {
    return;
  }
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("there are {} names for {} arms, or for others",
                          names->size(), store.size()));
}

void SaveNames(ByteWriter& writer, const Names* names) {
  const Names none;
  const Names& saved = names != nullptr ? *names : none;
  const std::vector<Names::Entry> entries = saved.Entries();
  writer.Transfer(std::uint64_t{saved.given()});
  writer.Transfer(std::uint64_t{entries.size()});
  for (const Names::Entry& entry : entries) {
    writer.Transfer(entry.id);
    writer.Transfer(std::uint64_t{entry.name.size()});
    writer.Values(std::span<const char>(entry.name));
  }
}

Names LoadNames(ByteReader& reader, const ArmStore& store) {
  const auto given = reader.Next<std::uint64_t>();
  CheckSaved(given < ~std::uint64_t{0} / 2, "its names are out of bounds");
  std::vector<Names::Entry> entries(reader.Count(2 * sizeof(std::uint64_t)));
  for (Names::Entry& entry : entries) {
    reader.Transfer(entry.id);
    entry.name.resize(reader.Count(1));
    reader.Values(std::span<char>(entry.name));
  }
  Names names = Names::FromEntries(given, std::move(entries));
  CheckSaved(names.given() == 0 || AllNamed(store, names),
             "its names are not those of its arms");
  return names;
}

}  // namespace manyarms
