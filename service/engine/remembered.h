#ifndef MANYARMS_SERVICE_ENGINE_REMEMBERED_H_
#define MANYARMS_SERVICE_ENGINE_REMEMBERED_H_

#include <cstddef>
#include <iterator>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace manyarms::service {

/// The latest clients' ids, each with what was answered, so that a retry gets
/// the same answer. An id takes some 150 bytes, and its text if that is longer
/// than 15 bytes.
///
/// Thread safety: any thread may call any method.
template <class Answer>
class Remembered {
 public:
  explicit Remembered(std::size_t most) : most_(most) {}

  std::optional<Answer> Find(std::string_view id) const {
    const std::scoped_lock lock(mutex_);
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) return std::nullopt;
    return found->second->second;
  }

  /// Puts the id in unless it is there, and returns what it has if it is.
  std::optional<Answer> FindOrAdd(const std::string& id, const Answer& answer) {
    const std::scoped_lock lock(mutex_);
    const auto found = by_id_.find(std::string_view(id));
    if (found != by_id_.end()) return found->second->second;
    entries_.emplace_back(id, answer);
    try {
      by_id_.emplace(entries_.back().first, std::prev(entries_.end()));
    } catch (...) {
      entries_.pop_back();
      throw;
    }
    if (entries_.size() > most_) EraseAt(entries_.begin());
    return std::nullopt;
  }

  /// Does nothing if it is not there any more.
  void Set(std::string_view id, const Answer& answer) noexcept {
    const std::scoped_lock lock(mutex_);
    const auto found = by_id_.find(id);
    if (found != by_id_.end()) found->second->second = answer;
  }

  void Erase(std::string_view id) noexcept {
    const std::scoped_lock lock(mutex_);
    const auto found = by_id_.find(id);
    if (found != by_id_.end()) EraseAt(found->second);
  }

  /// Erases those for which is(answer) holds. O(their number).
  template <class Is>
  void EraseIf(const Is& is) {
    const std::scoped_lock lock(mutex_);
    for (auto at = entries_.begin(); at != entries_.end();) {
      at = is(at->second) ? EraseAt(at) : std::next(at);
    }
  }

  /// Calls visit(id, answer), the oldest first.
  template <class Visit>
  void ForEach(const Visit& visit) const {
    const std::scoped_lock lock(mutex_);
    for (const auto& [id, answer] : entries_) visit(id, answer);
  }

 private:
  using Entries = std::list<std::pair<std::string, Answer>>;

  typename Entries::iterator EraseAt(typename Entries::iterator at) {
    by_id_.erase(std::string_view(at->first));
    return entries_.erase(at);
  }

  const std::size_t most_;
  mutable std::mutex mutex_;
  Entries entries_;  // the oldest first
  // Keys are views of the entries' ids.
  std::unordered_map<std::string_view, typename Entries::iterator> by_id_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_REMEMBERED_H_
