#ifndef MANYARMS_CATALOGUE_GROUP_MAP_H_
#define MANYARMS_CATALOGUE_GROUP_MAP_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace manyarms {

/// Arms of nearly the same length and the same largest feature have the same
/// key. Both parts fit: they begin with the 8 bits of a float's exponent.
struct GroupKey {
  static constexpr std::uint32_t kPeaks = 1U << 9;

  std::uint32_t length() const { return bits / kPeaks; }
  std::uint32_t peak() const { return bits % kPeaks; }

  std::uint32_t bits = 0;  // length * kPeaks + peak
};

/// A value for each group. Those that were used last are found without hashing.
/// Values never move.
template <class Value>
class GroupMap {
 public:
  GroupMap() = default;
  GroupMap(const GroupMap&) = delete;
  GroupMap& operator=(const GroupMap&) = delete;

  /// Null if there is none.
  Value* Find(GroupKey key) {
    // Neighbours in length and in peak have different places.
    Recent& recent = recent_[(key.length() * 8 + key.peak()) % recent_.size()];
    if (recent.value != nullptr && recent.key == key.bits) return recent.value;
    const auto found = values_.find(key.bits);
    if (found == values_.end()) return nullptr;
    recent = {key.bits, &found->second};
    return recent.value;
  }

  /// REQUIRES: there is none for this key.
  Value& Insert(GroupKey key, Value value) {
    return values_.emplace(key.bits, std::move(value)).first->second;
  }

  std::size_t size() const { return values_.size(); }

 private:
  struct Recent {
    std::uint32_t key = 0;
    Value* value = nullptr;
  };

  std::unordered_map<std::uint32_t, Value> values_;
  std::array<Recent, 256> recent_;
};

}  // namespace manyarms

#endif  // MANYARMS_CATALOGUE_GROUP_MAP_H_
