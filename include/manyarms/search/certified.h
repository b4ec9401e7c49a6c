#ifndef MANYARMS_SEARCH_CERTIFIED_OPTIONS_H_
#define MANYARMS_SEARCH_CERTIFIED_OPTIONS_H_

#include <cstddef>
#include <cstdint>

namespace manyarms {

/// Finds what a scan finds, to the last bit and the last tie, and looks at a
/// small part of the arms: those whose bound from a snapshot of the posterior
/// reaches the best. Exact. Nothing to tune and nothing to build beforehand:
/// snapshots are taken when the work since the last has paid for one.
///
/// Best scans while little is known, and at worst: O(K d) or, with a factor,
/// O(K d^2). Once the posterior is sure of most directions it scores tens to
/// thousands of arms. Add costs O(d^2) an arm. A snapshot costs about as much
/// as a few scans. Memory: 2 bytes an arm, and 4d + 24 for each arm that is
/// kept in order: a thirtieth of a million, a tenth or more while little is
/// known, and up to three times that while the next order is made.
struct CertifiedOptions {
  /// For ts and ucb: takes surveys on the threads that all bandits share
  /// (threads.h), so that choices continue meanwhile. Decisions are the same
  /// either way; how many arms are scored depends on when a survey has ended.
  /// (elim takes one before its first choice and hardly any more.)
  bool background = true;

  /// Compares every n-th answer with a full scan's, which costs a scan and
  /// about 1 byte an arm, and throws Error(kWrongAnswer) where they differ.
  /// Nothing is lost then and the search could be used on; it is an error in
  /// this library and should be reported. 0: never.
  std::uint64_t check_every = 0;

  /// For ts and ucb: the most memory that the order and the arms added since
  /// may take; 0: no limit but half of the arms. With too little memory for a
  /// useful order all choices scan. A survey under way takes up to twice as
  /// much again, and one that has ended once as much until the next choice.
  std::size_t max_bytes = 0;

  bool operator==(const CertifiedOptions&) const = default;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CERTIFIED_OPTIONS_H_
