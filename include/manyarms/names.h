#ifndef MANYARMS_NAMES_H_
#define MANYARMS_NAMES_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "manyarms/types.h"

namespace manyarms {

/// Maps strings (UTF-8) to arm ids, for callers whose ids are not numbers. A
/// new name gets the next number, 0, 1, 2, ...; no number is given twice. So of
/// two arms with equal scores, the one that was named first is chosen.
///
/// All operations take O(1), except that Entries takes O(n log n). A name takes
/// about 150 bytes. Thread safety: any number of threads may call const methods
/// while no thread calls a non-const one.
class Names {
 public:
  Names() = default;
  Names(Names&&) = default;
  Names& operator=(Names&&) = default;

  /// Returns the name's number; a new name gets the next one. Throws
  /// Error(kInvalidArgument) for bytes that are not UTF-8.
  ArmId Add(std::string_view name);

  /// Throws Error(kUnknownId).
  ArmId At(std::string_view name) const;

  bool Contains(std::string_view name) const;

  /// Returns null if no name has this number. The pointer is valid until the
  /// name is removed.
  const std::string* Find(ArmId id) const {
    const auto found = names_.find(id);
    return found != names_.end() ? found->second : nullptr;
  }

  /// The reference is valid until the name is removed. REQUIRES: a name has
  /// this number.
  const std::string& Name(ArmId id) const { return *names_.at(id); }

  /// REQUIRES: a name has this number.
  void Remove(ArmId id);

  std::size_t size() const { return names_.size(); }

  /// The number of names ever added, including those removed.
  std::uint64_t given() const { return next_; }

  struct Entry {
    ArmId id = 0;
    std::string name;
  };

  /// All names, by ascending number.
  std::vector<Entry> Entries() const;

  /// The names that had these entries after `given` names were added. Throws
  /// Error(kInvalidArgument) if there were none that had.
  static Names FromEntries(std::uint64_t given, std::vector<Entry> entries);

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  std::unordered_map<std::string, ArmId, Hash, std::equal_to<>> ids_;
  std::unordered_map<ArmId, const std::string*> names_;  // keys of ids_
  ArmId next_ = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_NAMES_H_
