#ifndef MANYARMS_SEARCH_FINDER_CACHE_H_
#define MANYARMS_SEARCH_FINDER_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/frequency_sketch.h"
#include "base/shared_mutex.h"
#include "search/search.h"

namespace manyarms {

/// Somebody who asks, with the context in which it asks: bounds that a finder
/// keeps hold in one context only.
struct Asker {
  Asker(std::uint64_t who,  // NOLINT(google-explicit-constructor)
        std::span<const float> where = {})
      : number(who), context(where.begin(), where.end()) {}

  bool operator==(const Asker&) const = default;

  std::uint64_t number;
  std::vector<float> context;
};

struct AskerHash {
  std::size_t operator()(const Asker& asker) const;
};

/// What the orders of all contexts of a bandit may take.
inline constexpr std::size_t kContextOrderBytes = std::size_t{256} << 20;

/// The same search, where no single order takes more than half of the bytes
/// that there are for all.
SearchOptions WithinBudget(SearchOptions search, std::size_t most_bytes);

/// Finders of their own for those of many askers that ask often, under one
/// limit of memory for all. All others ask a finder that they share
/// (Index::MakeSharedFinder). With an exact search, answers do not depend on
/// who has one.
///
/// An asker gets a finder when it has asked a few times lately. When memory is
/// short, it must have asked more often than the asker whose finder was not
/// used for longest, which then loses it. (This is TinyLFU's rule of admission;
/// the sketch that counts takes 1 MiB.)
///
/// Thread safety: any number of threads may call any method, also for the same
/// asker: one of them gets its finder.
class FinderCache {
 public:
  /// The index must outlive the cache.
  FinderCache(Index& index, std::size_t most_bytes);
  ~FinderCache();
  FinderCache(const FinderCache&) = delete;
  FinderCache& operator=(const FinderCache&) = delete;

 private:
  struct Entry {
    Asker asker;
    std::unique_ptr<Finder> finder;
    bool lent = false;
    // As they were when the finder was last given back.
    std::size_t bytes = 0;
    SearchStats stats = {};
  };
  using Entries = std::list<Entry>;

 public:
  /// An asker's finder, for the time of a question. It is given back when the
  /// loan ends; the thread must not hold the store's ReadLock then.
  class Loan {
   public:
    Loan() = default;
    Loan(FinderCache& cache, Entries::iterator entry)
        : cache_(&cache), entry_(entry) {}
    ~Loan() {
      if (cache_ != nullptr) cache_->GiveBack(entry_);
    }
    Loan(Loan&& other) noexcept
        : cache_(std::exchange(other.cache_, nullptr)), entry_(other.entry_) {}
    Loan& operator=(Loan&&) = delete;

    /// Null if the asker has no finder of its own.
    Finder* get() const {
      return cache_ != nullptr ? entry_->finder.get() : nullptr;
    }

   private:
    FinderCache* cache_ = nullptr;
    Entries::iterator entry_;
  };

  /// Counts a question and lends the asker's finder, if it has one or gets one,
  /// and if it is not lent already to another thread that asks in its name.
  /// Two askers must have different numbers or contexts. REQUIRES: the caller
  /// does not hold the store's ReadLock: a finder that is destroyed may wait
  /// for a survey.
  Loan Borrow(const Asker& asker);

  /// Destroys the finders of all askers with this number, but for those that
  /// are lent. REQUIRES: as for Borrow.
  void Forget(std::uint64_t number);

  std::size_t size() const;

  /// What the finders take, each as it was when it was last given back, without
  /// the sketch.
  std::size_t memory_bytes() const;

  /// The sums over all finders that there were.
  SearchStats stats() const;

 private:
  void GiveBack(Entries::iterator entry);
  Entries::iterator LeastRecentlyUsed();
  void Evict(Entries::iterator entry, Entries& evicted);
  static std::size_t BytesOf(const Entry& entry);

  Index& index_;
  const std::size_t most_bytes_;

  mutable SharedMutex mutex_{LockLevel::kIndex};
  // The rest is guarded by mutex_.
  FrequencySketch frequency_;
  Entries entries_;  // the most recently used first
  std::unordered_map<Asker, Entries::iterator, AskerHash> entry_of_;
  std::size_t bytes_ = 0;
  std::size_t bytes_of_new_ = 0;  // of a finder that was not asked yet
  SearchStats of_evicted_;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_FINDER_CACHE_H_
