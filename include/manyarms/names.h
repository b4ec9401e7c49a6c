#ifndef MANYARMS_NAMES_H_
#define MANYARMS_NAMES_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "manyarms/types.h"

namespace manyarms {

class ByteReader;  // src/base/bytes.h
class ByteWriter;

/// Texts (UTF-8) as names of arms, for callers whose ids are not numbers. Gives
/// each name the next number, 0, 1, 2, ..., and none twice: of arms with equal
/// scores the one that was named first is chosen.
///
/// All operations O(1), but Save O(n log n); some 150 bytes a name. Thread
/// safety: const methods may be called from any number of threads while nobody
/// calls a non-const one.
class Names {
 public:
  Names() = default;
  Names(Names&&) = default;
  Names& operator=(Names&&) = default;

  /// The number of a name, which is new or has it already. Throws
  /// Error(kInvalidArgument) for what is not UTF-8.
  ArmId Add(std::string_view name);

  /// Throws Error(kUnknownId).
  ArmId At(std::string_view name) const;

  bool Contains(std::string_view name) const;

  /// None if no name has this number. Valid until it is removed.
  const std::string* Find(ArmId id) const {
    const auto found = names_.find(id);
    return found != names_.end() ? found->second : nullptr;
  }

  /// REQUIRES: a name has this number. Valid until it is removed.
  const std::string& Name(ArmId id) const { return *names_.at(id); }

  /// REQUIRES: a name has this number.
  void Remove(ArmId id);

  std::size_t size() const { return names_.size(); }

  /// How many names there have ever been.
  std::uint64_t given() const { return next_; }

  void Save(ByteWriter& writer) const;
  /// REQUIRES: there has never been a name.
  void Restore(ByteReader& reader);

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
