#ifndef MANYARMS_STATS_H_
#define MANYARMS_STATS_H_

#include <cstdint>

namespace manyarms {

/// What a search has done so far.
struct SearchStats {
  /// Arms looked at by Best and Top, those met on the way through an index
  /// included.
  std::uint64_t arms_scored = 0;
  /// Of certified search: snapshots taken, what they took on whatever thread,
  /// how many arms they bounded, and answers compared with a scan's.
  std::uint64_t snapshots = 0;
  double snapshot_seconds = 0;
  std::uint64_t arms_bounded = 0;
  std::uint64_t checks = 0;
  /// Of lsh: inner products with the directions of its trees, and questions
  /// that it left to a scan.
  std::uint64_t directions = 0;
  std::uint64_t scans = 0;

  SearchStats& operator+=(const SearchStats& other);
};

/// What the policy's searches have done, with the arms that the policy itself
/// has scored, and what it had to do besides.
struct PolicyStats : SearchStats {
  std::uint64_t eliminations = 0;  ///< of arms; those that came back count anew
  std::uint64_t recoveries = 0;    ///< times all arms had been eliminated
};

/// Calls visit(name, counter...) for each counter, with that of each `stats`:
/// the one list by which counters are summed and shown.
template <class Visit, class... Stats>
void ForEachSearchCounter(Visit&& visit, Stats&... stats) {
  visit("arms_scored", stats.arms_scored...);
  visit("snapshots", stats.snapshots...);
  visit("snapshot_seconds", stats.snapshot_seconds...);
  visit("arms_bounded", stats.arms_bounded...);
  visit("checks", stats.checks...);
  visit("directions", stats.directions...);
  visit("scans", stats.scans...);
}

/// Those of the policy's searches included.
template <class Visit, class... Stats>
void ForEachPolicyCounter(Visit&& visit, Stats&... stats) {
  ForEachSearchCounter(visit, stats...);
  visit("eliminations", stats.eliminations...);
  visit("recoveries", stats.recoveries...);
}

inline SearchStats& SearchStats::operator+=(const SearchStats& other) {
  ForEachSearchCounter(
      [](const char*, auto& sum, const auto& more) { sum += more; }, *this,
      other);
  return *this;
}

}  // namespace manyarms

#endif  // MANYARMS_STATS_H_
