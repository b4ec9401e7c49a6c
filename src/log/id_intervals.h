#ifndef MANYARMS_LOG_ID_INTERVALS_H_
#define MANYARMS_LOG_ID_INTERVALS_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

namespace manyarms {

/// A set of numbers that is small if they follow one another, in any order.
class IdIntervals {
 public:
  /// Returns false if the number is there already.
  bool Insert(std::uint64_t id) {
    auto next = last_of_.upper_bound(id);
    if (next != last_of_.begin()) {
      auto before = std::prev(next);
      if (before->second >= id) return false;
      if (before->second + 1 == id) {
        before->second = id;
        Join(before, next);
        return true;
      }
    }
    Join(last_of_.emplace_hint(next, id, id), next);
    return true;
  }

  bool Contains(std::uint64_t id) const {
    const auto next = last_of_.upper_bound(id);
    return next != last_of_.begin() && std::prev(next)->second >= id;
  }

  std::size_t intervals() const { return last_of_.size(); }

 private:
  using Intervals = std::map<std::uint64_t, std::uint64_t>;

  void Join(Intervals::iterator one, Intervals::iterator next) {
    if (next == last_of_.end() || one->second + 1 != next->first) return;
    one->second = next->second;
    last_of_.erase(next);
  }

  Intervals last_of_;  // from the first number of an interval to its last
};

}  // namespace manyarms

#endif  // MANYARMS_LOG_ID_INTERVALS_H_
