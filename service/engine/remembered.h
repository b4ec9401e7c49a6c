#ifndef MANYARMS_SERVICE_ENGINE_REMEMBERED_H_
#define MANYARMS_SERVICE_ENGINE_REMEMBERED_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace manyarms::service {

/// The latest clients' ids, each with what was answered, so that a retry gets
/// the same answer. An answer has a `learner`, a number by which it can be
/// erased. An id takes some 200 bytes, and its text if that is longer than 15
/// bytes.
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
    return found->second->answer;
  }

  /// Puts the id in unless it is there, and returns what it has if it is.
  std::optional<Answer> FindOrAdd(const std::string& id, const Answer& answer) {
    const std::scoped_lock lock(mutex_);
    const auto found = by_id_.find(std::string_view(id));
    if (found != by_id_.end()) return found->second->answer;
    entries_.push_back({.id = id, .answer = answer});
    Entry& entry = entries_.back();
    try {
      by_id_.emplace(entry.id, std::prev(entries_.end()));
      Link(entry);
    } catch (...) {
      by_id_.erase(std::string_view(entry.id));
      entries_.pop_back();
      throw;
    }
    if (entries_.size() > most_) EraseAt(entries_.begin());
    return std::nullopt;
  }

  /// Does nothing if it is not there any more. REQUIRES: the learner is the one
  /// that it has.
  void Set(std::string_view id, const Answer& answer) noexcept {
    const std::scoped_lock lock(mutex_);
    const auto found = by_id_.find(id);
    if (found != by_id_.end()) found->second->answer = answer;
  }

  void Erase(std::string_view id) noexcept {
    const std::scoped_lock lock(mutex_);
    const auto found = by_id_.find(id);
    if (found != by_id_.end()) EraseAt(found->second);
  }

  /// Erases those of a learner. O(their number), whatever others have.
  void EraseOf(std::uint64_t learner) noexcept {
    const std::scoped_lock lock(mutex_);
    for (;;) {
      const auto latest = latest_of_.find(learner);
      if (latest == latest_of_.end()) return;
      EraseAt(by_id_.find(std::string_view(latest->second->id))->second);
    }
  }

  /// Calls visit(id, answer), the oldest first.
  template <class Visit>
  void ForEach(const Visit& visit) const {
    const std::scoped_lock lock(mutex_);
    for (const Entry& entry : entries_) visit(entry.id, entry.answer);
  }

 private:
  struct Entry {
    std::string id;
    Answer answer;
    // Of the same learner.
    Entry* older = nullptr;
    Entry* newer = nullptr;
  };
  using Entries = std::list<Entry>;

  void Link(Entry& entry) {
    Entry*& latest = latest_of_[entry.answer.learner];
    entry.older = latest;
    if (latest != nullptr) latest->newer = &entry;
    latest = &entry;
  }

  void Unlink(Entry& entry) {
    if (entry.older != nullptr) entry.older->newer = entry.newer;
    if (entry.newer != nullptr) {
      entry.newer->older = entry.older;
    } else if (entry.older != nullptr) {
      latest_of_.find(entry.answer.learner)->second = entry.older;
    } else {
      latest_of_.erase(entry.answer.learner);
    }
  }

  // NOLINTNEXTLINE(readability-redundant-typename): clang 14 needs it
  void EraseAt(typename Entries::iterator at) {
    Unlink(*at);
    by_id_.erase(std::string_view(at->id));
    entries_.erase(at);
  }

  const std::size_t most_;
  mutable std::mutex mutex_;
  Entries entries_;  // the oldest first
  // Keys are views of the entries' ids.
  std::unordered_map<std::string_view, typename Entries::iterator> by_id_;
  // By learner.
  std::unordered_map<std::uint64_t, Entry*> latest_of_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_REMEMBERED_H_
