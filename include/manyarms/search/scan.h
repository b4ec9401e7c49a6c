#ifndef MANYARMS_SEARCH_SCAN_OPTIONS_H_
#define MANYARMS_SEARCH_SCAN_OPTIONS_H_

namespace manyarms {

/// Scores every arm, with the widest vector instructions that the machine has.
/// The search is exact. Best costs O(K d) for ts and O(K d^2) for ucb and elim.
struct ScanOptions {
  bool operator==(const ScanOptions&) const = default;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_SCAN_OPTIONS_H_
