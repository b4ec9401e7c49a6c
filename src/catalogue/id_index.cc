#include "catalogue/id_index.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "base/parallel_for.h"

namespace manyarms {
namespace {

// The upper half of SplitMix64's finaliser: consecutive ids, which are common,
// spread out.
std::uint32_t Hash(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32);
}

// Places are prefetched this number of ids ahead, far enough to hide the
// latency of memory.
constexpr std::size_t kAhead = 16;

// A region of the table is small enough for the nearer caches.
constexpr std::size_t kRegionBytes = std::size_t{256} << 10;
constexpr std::size_t kMaxRegions = 1024;

// The number of slots that are sorted by region at a time, within the nearer
// caches.
constexpr std::size_t kSortedTogether = std::size_t{32} << 10;

std::size_t RegionOf(std::uint32_t hash, std::size_t regions) {
  return hash * static_cast<std::uint64_t>(regions) >> 32;
}

}  // namespace

// The place of the id, or the empty place where it would be inserted.
std::size_t IdIndex::Probe(ArmId id, const BlockTable& ids) const {
  const std::uint32_t hash = Hash(id);
  std::size_t at = Home(hash);
  while (entries_[at].slot != kNoSlot &&
         (entries_[at].hash != hash || ids.Id(entries_[at].slot) != id)) {
    at = After(at);
  }
  return at;
}

std::optional<Slot> IdIndex::Find(ArmId id, const BlockTable& ids) const {
  const Slot slot = entries_[Probe(id, ids)].slot;
  if (slot == kNoSlot) return std::nullopt;
  return slot;
}

bool IdIndex::Insert(Slot slot, const BlockTable& ids) {
  Reserve(size_ + 1);
  const ArmId id = ids.Id(slot);
  Entry& place = entries_[Probe(id, ids)];
  if (place.slot != kNoSlot) return false;
  place = {slot, Hash(id)};
  ++size_;
  return true;
}

void IdIndex::Erase(Slot slot, const BlockTable& ids) {
  std::size_t hole = Probe(ids.Id(slot), ids);
  // Entries that had to probe past the hole move back, so that there are no
  // tombstones, which would fill the table in the course of additions and
  // removals.
  for (std::size_t at = After(hole); entries_[at].slot != kNoSlot;
       at = After(at)) {
    const std::size_t home = Home(entries_[at].hash);
    const bool reaches_hole = Beyond(home, at) >= Beyond(hole, at);
    if (reaches_hole) {
      entries_[hole] = entries_[at];
      hole = at;
    }
  }
  entries_[hole] = kEmpty;
  --size_;
}

void IdIndex::Reserve(std::size_t count) {
  // It grows when it would be more than three quarters full, and is two thirds
  // full then: a few arms beyond those that were reserved cost no growth.
  if (count <= entries_.size() / 4 * 3) return;
  const std::size_t needed = count + count / 2;
  const std::size_t capacity =
      std::max(needed, entries_.size() + entries_.size() / 2);

  decltype(entries_) old(capacity, kEmpty);
  old.swap(entries_);
  for (const Entry& entry : old) {
    if (entry.slot == kNoSlot) continue;
    std::size_t at = Home(entry.hash);
    while (entries_[at].slot != kNoSlot) at = After(at);
    entries_[at] = entry;
  }
}

void IdIndex::Prefetch(ArmId id) const {
  __builtin_prefetch(&entries_[Home(Hash(id))], 1);
}

// Where the table is large compared with what is added, every insertion reads
// memory of its own, and regions would gain nothing.
bool IdIndex::InsertMany(std::span<const Slot> slots, const BlockTable& ids) {
  const bool dense = slots.size() >= entries_.size() / 16;
  const bool large = entries_.size() * sizeof(Entry) >= 4 * kRegionBytes;
  return dense && large ? InsertByRegion(slots, ids)
                        : InsertInOrder(slots, ids);
}

bool IdIndex::InsertInOrder(std::span<const Slot> slots,
                            const BlockTable& ids) {
  std::array<std::uint32_t, kAhead> hashes;
  for (std::size_t i = 0; i < slots.size() + kAhead; ++i) {
    std::uint32_t& hash = hashes[i % kAhead];
    if (i >= kAhead) {
      const Slot slot = slots[i - kAhead];
      const ArmId id = ids.Id(slot);
      std::size_t at = Home(hash);
      for (; entries_[at].slot != kNoSlot; at = After(at)) {
        if (entries_[at].hash == hash && ids.Id(entries_[at].slot) == id) {
          return false;
        }
      }
      entries_[at] = {slot, hash};
      ++size_;
    }
    if (i < slots.size()) {
      hash = Hash(ids.Id(slots[i]));
      __builtin_prefetch(&entries_[Home(hash)], 1);
    }
  }
  return true;
}

// Entries in parts of kSortedTogether, each in the order of the regions.
class IdIndex::SortedByRegion {
 public:
  SortedByRegion(std::span<const Slot> slots, const BlockTable& ids,
                 std::size_t regions)
      : regions_(regions),
        parts_((slots.size() + kSortedTogether - 1) / kSortedTogether),
        entries_(MakeLargeBuffer<Entry>(slots.size())),
        begins_(parts_ * (regions + 1)) {
    ParallelFor(slots.size(), kSortedTogether,
                [&](std::size_t begin, std::size_t end) {
                  SortPart(slots.subspan(begin, end - begin), begin, ids);
                });
  }

  template <class Visit>
  void ForEach(std::size_t region, const Visit& visit) const {
    for (std::size_t part = 0; part < parts_; ++part) {
      const std::size_t* begin = &begins_[part * (regions_ + 1) + region];
      if (part + 1 < parts_) Fetch(&entries_[begin[regions_ + 1]]);
      for (std::size_t i = begin[0]; i < begin[1]; ++i) visit(entries_[i]);
    }
  }

 private:
  // The first lines of a part are fetched while the part before is visited; the
  // processor fetches the others by itself.
  static void Fetch(const Entry* entries) {
    for (std::size_t i = 0; i < 4; ++i) {
      __builtin_prefetch(entries + i * kLineEntries);
    }
  }

  void SortPart(std::span<const Slot> slots, std::size_t first,
                const BlockTable& ids) {
    std::size_t* begins = &begins_[first / kSortedTogether * (regions_ + 1)];
    for (const Slot slot : slots) {
      ++begins[RegionOf(Hash(ids.Id(slot)), regions_)];
    }
    std::size_t sum = first;
    for (std::size_t region = 0; region <= regions_; ++region) {
      sum += std::exchange(begins[region], sum);
    }
    std::vector<std::size_t> next(begins, begins + regions_);
    for (const Slot slot : slots) {  // to hash again is faster than to remember
      const std::uint32_t hash = Hash(ids.Id(slot));
      entries_[next[RegionOf(hash, regions_)]++] = {slot, hash};
    }
  }

  std::size_t regions_;
  std::size_t parts_;
  LargeBuffer<Entry> entries_;
  // For each part, where its regions begin, and where the last one ends.
  std::vector<std::size_t> begins_;
};

// The entries are sorted by the region of the table to which their hashes
// belong, and each region is filled by one thread. An entry that would go
// beyond the end of its region is postponed until all threads have ended. The
// place of an entry does not depend on the threads.
bool IdIndex::InsertByRegion(std::span<const Slot> slots,
                             const BlockTable& ids) {
  const std::size_t regions =
      std::min(entries_.size() * sizeof(Entry) / kRegionBytes, kMaxRegions);
  const SortedByRegion sorted(slots, ids, regions);

  struct Outcome {
    std::size_t inserted = 0;
    bool all_new = true;
    std::vector<Slot> postponed;
  };
  std::vector<Outcome> outcomes(regions);
  const auto fill = [&](std::size_t region, std::size_t) {
    const std::size_t end =
        region + 1 == regions
            ? entries_.size()
            : Home(static_cast<std::uint32_t>(((region + 1) << 32) / regions));
    const std::size_t from =
        Home(static_cast<std::uint32_t>((region << 32) / regions));
    // To fetch the region once in order is faster than to wait for its lines.
    for (std::size_t at = from; at < end; at += kLineEntries) {
      __builtin_prefetch(&entries_[at], 1);
    }
    Outcome& outcome = outcomes[region];
    sorted.ForEach(region, [&](const Entry& entry) {
      std::size_t at = Home(entry.hash);
      for (; at < end && entries_[at].slot != kNoSlot; ++at) {
        if (entries_[at].hash == entry.hash &&
            ids.Id(entries_[at].slot) == ids.Id(entry.slot)) {
          outcome.all_new = false;
          return;
        }
      }
      if (at < end) {
        entries_[at] = entry;
        ++outcome.inserted;
      } else {
        outcome.postponed.push_back(entry.slot);
      }
    });
  };
  const auto count = [&] {
    for (const Outcome& outcome : outcomes) size_ += outcome.inserted;
  };
  try {
    ParallelFor(regions, 1, fill);
  } catch (...) {  // the caller erases what was inserted
    count();
    throw;
  }
  count();
  bool all_new = std::ranges::all_of(outcomes, &Outcome::all_new);
  for (const Outcome& outcome : outcomes) {
    for (const Slot slot : outcome.postponed) {
      all_new = Insert(slot, ids) && all_new;
    }
  }
  return all_new;
}

}  // namespace manyarms
