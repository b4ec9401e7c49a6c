#ifndef MANYARMS_LSH_MEETINGS_H_
#define MANYARMS_LSH_MEETINGS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "lsh/filter_tree.h"

namespace manyarms::lsh {

/// Remembers which points a query has met in the leaves, because it meets many
/// of them several times. Starting a new query takes O(1).
class Meetings {
 public:
  /// Starts a new query, whose point numbers will be below `end`.
  void Begin(std::size_t end) {
    last_.resize(end, 0);
    if (++query_ != 0) return;
    std::ranges::fill(last_, 0);
    query_ = 1;
  }

  /// Whether the query meets this point for the first time.
  bool First(PointNumber number) {
    return std::exchange(last_[number], query_) != query_;
  }

 private:
  std::vector<std::uint32_t> last_;  // the last query that met a point
  std::uint32_t query_ = 0;
};

}  // namespace manyarms::lsh

#endif  // MANYARMS_LSH_MEETINGS_H_
