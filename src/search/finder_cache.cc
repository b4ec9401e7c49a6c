#include "search/finder_cache.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <shared_mutex>
#include <utility>

namespace manyarms {
namespace {

constexpr std::size_t kCounters = std::size_t{1} << 20;

// An asker with fewer questions gains nothing by a finder of its own: until a
// survey pays, that finder answers as the shared one does.
constexpr std::uint8_t kOften = 4;

// Numbers of askers follow one another, so their bits have to be mixed.
std::uint64_t Mixed(std::uint64_t x) {
  x *= 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93U;
  return x ^ (x >> 32);
}

std::uint64_t HashOf(const Asker& asker) {
  std::uint64_t hash = Mixed(asker.number);
  for (const float value : asker.context) {
    // -0 and 0 are equal.
    hash = Mixed(hash ^ std::bit_cast<std::uint32_t>(value + 0.0F));
  }
  return hash;
}

}  // namespace

std::size_t AskerHash::operator()(const Asker& asker) const {
  return HashOf(asker);
}

SearchOptions WithinBudget(SearchOptions search, std::size_t most_bytes) {
  if (auto* certified = std::get_if<CertifiedOptions>(&search)) {
    const std::size_t most = std::max<std::size_t>(most_bytes / 2, 1);
    certified->max_bytes =
        certified->max_bytes == 0 ? most : std::min(certified->max_bytes, most);
  }
  return search;
}

FinderCache::FinderCache(Index& index, std::size_t most_bytes)
    : index_(index), most_bytes_(most_bytes), frequency_(kCounters) {}

FinderCache::~FinderCache() = default;

FinderCache::Loan FinderCache::Borrow(const Asker& asker) {
  // Both are destroyed after the lock is released.
  Entries evicted;
  Entries added;
  const std::unique_lock lock(mutex_);
  const std::uint8_t times = frequency_.Count(HashOf(asker));
  if (const auto found = entry_of_.find(asker); found != entry_of_.end()) {
    const auto entry = found->second;
    if (entry->lent) return {};
    entries_.splice(entries_.begin(), entries_, entry);
    entry->lent = true;
    return {*this, entry};
  }
  if (times < kOften) return {};
  const auto oldest = LeastRecentlyUsed();
  // This question does not count: those who take turns have asked equally
  // often, and would take each other's finders away for ever.
  const bool may_evict = oldest != entries_.end() &&
                         frequency_.Of(HashOf(oldest->asker)) + 1 < int{times};
  if (!may_evict && bytes_ + bytes_of_new_ > most_bytes_) return {};
  added.push_front(
      {.asker = asker, .finder = index_.MakeFinder(), .lent = true});
  added.front().bytes = bytes_of_new_ = BytesOf(added.front());
  if (bytes_ + bytes_of_new_ > most_bytes_) {
    if (!may_evict) return {};
    Evict(oldest, evicted);
  }
  entry_of_.emplace(asker, added.begin());
  bytes_ += added.front().bytes;
  entries_.splice(entries_.begin(), added);
  return {*this, entries_.begin()};
}

void FinderCache::GiveBack(Entries::iterator entry) {
  Entries evicted;
  const std::unique_lock lock(mutex_);
  entry->lent = false;
  const std::size_t bytes = BytesOf(*entry);
  bytes_ += bytes - entry->bytes;
  entry->bytes = bytes;
  entry->stats = entry->finder->stats();
  while (bytes_ > most_bytes_) {
    const auto oldest = LeastRecentlyUsed();
    if (oldest == entries_.end()) break;
    Evict(oldest, evicted);
  }
}

void FinderCache::Forget(std::uint64_t number) {
  Entries evicted;
  const std::unique_lock lock(mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (entry->asker.number == number && !entry->lent) Evict(entry, evicted);
    entry = next;
  }
}

// Among those that are not lent.
FinderCache::Entries::iterator FinderCache::LeastRecentlyUsed() {
  const auto found = std::ranges::find(entries_.rbegin(), entries_.rend(),
                                       false, &Entry::lent);
  return found == entries_.rend() ? entries_.end() : std::prev(found.base());
}

// The caller destroys `evicted` after it has released the lock, because that
// may take some time.
void FinderCache::Evict(Entries::iterator entry, Entries& evicted) {
  of_evicted_ += entry->stats;
  bytes_ -= entry->bytes;
  entry_of_.erase(entry->asker);
  evicted.splice(evicted.begin(), entries_, entry);
}

std::size_t FinderCache::BytesOf(const Entry& entry) {
  // The entry in its list, and in the map.
  constexpr std::size_t kOwn =
      sizeof(Entry) + sizeof(Asker) + 10 * sizeof(void*);
  return kOwn + 2 * entry.asker.context.size() * sizeof(float) +
         entry.finder->memory_bytes();
}

std::size_t FinderCache::size() const {
  const std::shared_lock lock(mutex_);
  return entries_.size();
}

std::size_t FinderCache::memory_bytes() const {
  const std::shared_lock lock(mutex_);
  return bytes_;
}

SearchStats FinderCache::stats() const {
  const std::shared_lock lock(mutex_);
  SearchStats sum = of_evicted_;
  for (const Entry& entry : entries_) sum += entry.stats;
  return sum;
}

}  // namespace manyarms
