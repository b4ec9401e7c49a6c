#ifndef MANYARMS_SERVICE_ENGINE_HANDLE_TABLE_H_
#define MANYARMS_SERVICE_ENGINE_HANDLE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace manyarms::service {

/// A hash table of numbers below 2^32 - 1 that stand for things which the owner
/// keeps elsewhere: 4 bytes a place, at most three quarters of which are used.
/// Each number is there once.
class HandleTable {
 public:
  using Handle = std::uint32_t;
  static constexpr Handle kNone = ~Handle{0};

  /// The number with this hash for which is(number) holds, or kNone.
  template <class Is>
  Handle Find(std::uint64_t hash, const Is& is) const {
    if (places_.empty()) return kNone;
    for (std::size_t at = HomeOf(hash);; at = Next(at)) {
      if (places_[at] == kNone || is(places_[at])) return places_[at];
    }
  }

  /// Makes room for this number of handles, so that Insert never fails;
  /// hash_of(handle) is the hash of one that is there.
  template <class HashOf>
  void Reserve(std::size_t count, const HashOf& hash_of) {
    std::size_t size = places_.empty() ? 16 : places_.size();
    while (size / 4 * 3 < count) size *= 2;
    if (size == places_.size()) return;
    HandleTable larger;
    larger.places_.assign(size, kNone);
    for (const Handle handle : places_) {
      if (handle != kNone) larger.Insert(handle, hash_of(handle));
    }
    *this = std::move(larger);
  }

  /// REQUIRES: there is room for it, and it is not there.
  void Insert(Handle handle, std::uint64_t hash) {
    std::size_t at = HomeOf(hash);
    while (places_[at] != kNone) at = Next(at);
    places_[at] = handle;
    ++size_;
  }

  /// REQUIRES: it is there.
  template <class HashOf>
  void Erase(Handle handle, const HashOf& hash_of) {
    std::size_t hole = HomeOf(hash_of(handle));
    while (places_[hole] != handle) hole = Next(hole);
    // Those behind it move up, so that none is cut off from its home.
    for (std::size_t at = Next(hole); places_[at] != kNone; at = Next(at)) {
      const std::size_t home = HomeOf(hash_of(places_[at]));
      const std::size_t mask = places_.size() - 1;
      if (((at - home) & mask) >= ((at - hole) & mask)) {
        places_[hole] = places_[at];
        hole = at;
      }
    }
    places_[hole] = kNone;
    --size_;
  }

  std::size_t size() const { return size_; }

 private:
  std::size_t HomeOf(std::uint64_t hash) const {
    return static_cast<std::size_t>((hash * 0x9e3779b97f4a7c15U) >> 32) &
           (places_.size() - 1);
  }
  std::size_t Next(std::size_t at) const {
    return (at + 1) & (places_.size() - 1);
  }

  std::vector<Handle> places_;  // a power of two of them, or none
  std::size_t size_ = 0;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_HANDLE_TABLE_H_
