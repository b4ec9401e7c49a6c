#ifndef MANYARMS_STATS_H_
#define MANYARMS_STATS_H_

#include <cstdint>

namespace manyarms {

/// Counts what a search has done so far.
struct SearchStats {
  /// Arms scored by Best and Top, including those that were met on the way
  /// through a graph or a tree.
  std::uint64_t arms_scored = 0;
  /// Of certified search: snapshots taken, the seconds that they took on any
  /// thread, the arms of which surveys were begun, and answers compared with a
  /// scan's.
  std::uint64_t snapshots = 0;
  double snapshot_seconds = 0;
  std::uint64_t arms_bounded = 0;
  std::uint64_t checks = 0;
  /// Of lsh and lsh-theory: inner products with the directions of their trees.
  std::uint64_t directions = 0;
  /// Queries that lsh and lsh-theory answered by a scan in place of their
  /// trees, and queries over all arms for which hnsw had no graphs. Other scans
  /// are not counted: those of scan and certified search, and those of hnsw
  /// among eligible arms, for a shortlist as long as the arm set, or after its
  /// graphs have found too few arms.
  std::uint64_t scans = 0;
  /// Of certified search: the queries that a first pass answered, and the bytes
  /// of features that all its answers have read, compact ones included.
  std::uint64_t first_passes = 0;
  std::uint64_t bytes_read = 0;

  SearchStats& operator+=(const SearchStats& other);
};

/// The sums over a policy's searches and the policy's own counters.
/// `arms_scored` includes the arms that the policy itself has scored.
struct PolicyStats : SearchStats {
  std::uint64_t eliminations = 0;  ///< arms; one that returns can count again
  std::uint64_t recoveries = 0;    ///< how often all arms had been eliminated
  /// The memory of the compact copy of the arms that certified search uses. It
  /// is what there is now, not a sum.
  std::uint64_t compact_bytes = 0;
};

/// Calls visit(name, counter...) for each counter, with its value in each of
/// `stats`. Counters are added up and shown by this list.
template <class Visit, class... Stats>
void ForEachSearchCounter(Visit&& visit, Stats&... stats) {
  visit("arms_scored", stats.arms_scored...);
  visit("snapshots", stats.snapshots...);
  visit("snapshot_seconds", stats.snapshot_seconds...);
  visit("arms_bounded", stats.arms_bounded...);
  visit("checks", stats.checks...);
  visit("directions", stats.directions...);
  visit("scans", stats.scans...);
  visit("first_passes", stats.first_passes...);
  visit("bytes_read", stats.bytes_read...);
}

/// The same for the counters of a policy, including those of its searches.
template <class Visit, class... Stats>
void ForEachPolicyCounter(Visit&& visit, Stats&... stats) {
  ForEachSearchCounter(visit, stats...);
  visit("eliminations", stats.eliminations...);
  visit("recoveries", stats.recoveries...);
  visit("compact_bytes", stats.compact_bytes...);
}

inline SearchStats& SearchStats::operator+=(const SearchStats& other) {
  ForEachSearchCounter(
      [](const char*, auto& sum, const auto& more) { sum += more; }, *this,
      other);
  return *this;
}

}  // namespace manyarms

#endif  // MANYARMS_STATS_H_
