#ifndef MANYARMS_SEARCH_CERTIFIED_OPTIONS_H_
#define MANYARMS_SEARCH_CERTIFIED_OPTIONS_H_

#include <cstddef>
#include <cstdint>

namespace manyarms {

/// Finds exactly what a scan finds, ties included, but scores only a small part
/// of the arms: those whose upper bound, computed from a snapshot of the
/// posterior, reaches the best score. There is nothing to tune and nothing to
/// build beforehand: a snapshot is taken when the arms scored since the last
/// one have cost as much.
///
/// While little is known, Best reads a compact copy of the arms, at a fourth to
/// a hundredth of what a scan costs. In the worst case it scans: O(K d) for ts,
/// O(K d^2) for ucb and elim. Once the posterior is certain of most directions,
/// Best scores tens to thousands of arms. An added arm costs O(d^2), and a
/// snapshot about as much as a scan. Memory: 2 bytes an arm, d + 8 for the
/// compact copy, and 4d + 24 bytes for each arm in the order. Of a million arms
/// a thousand or two are in the order, more while little is known, and three
/// times that memory is used while the next order is made.
struct CertifiedOptions {
  /// For ts and ucb: takes surveys on the threads that all bandits share
  /// (threads.h), so that choices continue meanwhile. Decisions are the same
  /// either way; how many arms are scored depends on when a survey has ended.
  /// (elim takes one before its first choice and hardly any more.)
  bool background = true;

  /// Compares every n-th answer with a scan's, at the cost of a scan, and
  /// throws Error(kWrongAnswer) if they differ. That is an error in this
  /// library, which should be reported; the bandit can still be used. 0 means
  /// never.
  std::uint64_t check_every = 0;

  /// For ts and ucb: the most memory that the order and the arms added since
  /// may take. 0 means no limit, except that an order has at most half of the
  /// arms. With too little memory for a useful order all choices scan. A survey
  /// under way takes up to twice as much again, and one that has ended once as
  /// much until the next choice.
  std::size_t max_bytes = 0;

  /// For ts and ucb: keeps a copy of the features with 8 bits each, arranged by
  /// length, which all askers share. A first pass over it answers exactly where
  /// there is no order, and where the order is not enough, at a fourth to a
  /// hundredth of what a scan costs. It takes about d + 8 bytes an arm; with 16
  /// features, 28. Decisions are the same either way.
  bool first_pass = true;

  bool operator==(const CertifiedOptions&) const = default;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CERTIFIED_OPTIONS_H_
