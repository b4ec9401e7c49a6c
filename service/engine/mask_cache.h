#ifndef MANYARMS_SERVICE_ENGINE_MASK_CACHE_H_
#define MANYARMS_SERVICE_ENGINE_MASK_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace manyarms::service {

/// Remembers which places the latest tag expressions stand for.
///
/// Thread safety: any thread may call any method.
class MaskCache {
 public:
  using Mask = std::shared_ptr<const std::vector<std::uint16_t>>;

  /// The mask of an expression, made by make() if it is not known.
  template <class Make>
  Mask Of(const std::string& expression, const Make& make) {
    {
      const std::scoped_lock lock(mutex_);
      const auto known = entries_.find(expression);
      if (known != entries_.end()) {
        known->second.used = ++clock_;
        return known->second.mask;
      }
    }
    auto mask = std::make_shared<const std::vector<std::uint16_t>>(make());
    const std::scoped_lock lock(mutex_);
    while (!entries_.empty() && IsFull(mask->size())) DropOldest();
    entries_[expression] = {mask, ++clock_};
    return mask;
  }

  void Clear() {
    const std::scoped_lock lock(mutex_);
    entries_.clear();
  }

 private:
  static constexpr std::size_t kMostMasks = 256;
  static constexpr std::size_t kMostLanes = std::size_t{64} << 20;

  struct Entry {
    Mask mask;
    std::uint64_t used = 0;
  };

  // All masks are of about the same size.
  bool IsFull(std::size_t lanes) const {
    return entries_.size() >= kMostMasks ||
           (entries_.size() + 1) * lanes > kMostLanes;
  }

  void DropOldest() {
    auto oldest = entries_.begin();
    for (auto at = entries_.begin(); at != entries_.end(); ++at) {
      if (at->second.used < oldest->second.used) oldest = at;
    }
    entries_.erase(oldest);
  }

  std::mutex mutex_;
  std::unordered_map<std::string, Entry> entries_;
  std::uint64_t clock_ = 0;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_MASK_CACHE_H_
