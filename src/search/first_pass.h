#ifndef MANYARMS_SEARCH_FIRST_PASS_H_
#define MANYARMS_SEARCH_FIRST_PASS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/backoff.h"
#include "catalogue/arm_store.h"
#include "kernels/compact.h"
#include "search/scorer.h"
#include "search/search.h"

namespace manyarms {

/// What an answer has cost.
struct SearchCost {
  std::uint64_t arms = 0;   ///< scored exactly
  std::uint64_t bytes = 0;  ///< read from arms and from compact arms
  /// The bytes that a scan reads in the same time. A scan does not turn from
  /// place to place, so these are more than a first pass reads.
  std::uint64_t price = 0;

  SearchCost& operator+=(const SearchCost& other) {
    arms += other.arms;
    bytes += other.bytes;
    price += other.price;
    return *this;
  }
};

/// Finds what a scan finds by reading the store's compact copy: groups of arms
/// from the longest on, until no arm is long enough to reach the threshold.
/// Only arms whose upper bound reaches the threshold are scored. It uses
/// nothing but the arms and the query, so it serves the first query of an asker
/// as well as any other. docs/design.md says why it is exact.
///
/// Where a scan takes no longer than turning from group to group, or where only
/// a small part of the arms is eligible, no pass is tried. A pass that has cost
/// two fifths of a scan is given up, and after the first, second, third, ... of
/// these in a row the next 1, 2, 4, ... queries are not tried. (Queries with
/// all arms, half of them, a quarter, ... eligible count by themselves.)
class FirstPass {
 public:
  /// When a pass is tried and given up, in parts of a scan of the eligible
  /// arms. Answers do not depend on it.
  struct Limits {
    std::uint64_t least_scan_bytes = std::uint64_t{1} << 17;
    double most_of_scan = 0.4;
    double least_eligible = 1.0 / 64;  ///< part of all arms
  };

  explicit FirstPass(Objective objective) : FirstPass(objective, Limits()) {}
  FirstPass(Objective objective, const Limits& limits)
      : objective_(objective), limits_(limits) {}

  struct Request {
    const ArmStore& store;
    const ArmSet& arms;      ///< the members of the index
    bool all_arms;           ///< whether these are all arms of the store
    const ArmSet* eligible;  ///< null: all members are
  };

  /// Offers arms to `top`, so that it has the top k of the eligible arms that
  /// reach its first threshold. Returns false if the pass was not tried or was
  /// given up; then `top` has some arms, and the caller scans. REQUIRES: `top`
  /// is empty, and `scorer` has taken the query.
  bool Find(const Request& request, const Scorer& scorer, const Query& query,
            kernels::TopHits& top, SearchCost& cost);

  /// To be called before a query of another asker: its belief may have the
  /// version of the last one and differ.
  void ForgetBelief() { norm_version_.reset(); }

  std::size_t memory_bytes() const;

 private:
  void TakeQuery(const Scorer& scorer, const Query& query);
  Backoff& BackoffFor(std::size_t eligible, std::size_t arms);
  double Bonus(double length) const;
  double Reach(const CompactCopy::Group& group) const;
  std::int32_t Threshold(const CompactCopy::Group& group, float bar) const;
  bool Read(const Request& request, const Scorer& scorer, std::uint64_t most,
            kernels::TopHits& top, SearchCost& cost);
  void Score(const Request& request, const Scorer& scorer,
             const CompactCopy::Run& run, std::uint32_t first_block,
             std::size_t entries, kernels::TopHits& top, SearchCost& cost);

  static constexpr std::uint64_t kMostLeftOut = 1024;

  const Objective objective_;
  const Limits limits_;

  // Of queries for which more than half of the arms are eligible, more than a
  // quarter, ...
  struct PassBackoff : Backoff {
    PassBackoff() : Backoff(kMostLeftOut) {}
  };
  std::array<PassBackoff, 7> backoffs_;
  // The norm of the last factor, and the version of its belief.
  std::optional<std::uint64_t> norm_version_;
  double norm_ = 0;

  // Of the query that is being answered. An arm's computed score is at most
  //   step scale <h, q> + direction_length error + remainder (length + error)
  //   + Bonus(length).
  kernels::CompactDirection direction_;
  double per_length_ = 0;          // rounding, and the width for ucb
  double per_length_squared_ = 0;  // the squared width for qgloc
  double tiny_ = 0;
  std::vector<MaskedBlock> reaching_;
  std::vector<MaskedBlock> exact_;
};

/// An upper bound of the operator norm of a matrix. Up to `most_columns` it
/// costs O(d^3), and is at most d^(1/16) times too large, which is 1.3 for 64
/// columns; O(d^2) beyond.
double NormBound(const RowMatrix& matrix, std::size_t most_columns);

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_FIRST_PASS_H_
