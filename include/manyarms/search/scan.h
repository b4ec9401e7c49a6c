#ifndef MANYARMS_SEARCH_SCAN_OPTIONS_H_
#define MANYARMS_SEARCH_SCAN_OPTIONS_H_

namespace manyarms {

/// Looks at every arm, with the widest vector instructions the machine has.
/// Exact. Best costs O(K d) or, with a factor, O(K d^2).
struct ScanOptions {
  bool operator==(const ScanOptions&) const = default;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_SCAN_OPTIONS_H_
