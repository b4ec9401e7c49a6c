#ifndef MANYARMS_RESEARCH_RIM_ADVERSARY_H_
#define MANYARMS_RESEARCH_RIM_ADVERSARY_H_

#include <cstddef>
#include <span>
#include <vector>

#include "lsh/point_table.h"
#include "manyarms/random.h"

namespace manyarms {

/// Knows the points, but not the randomness of the solver that it is up
/// against. Its queries lie on the rim of a point: at the inner product that
/// just qualifies, where solvers are at their worst. It climbs from queries
/// that needed many copies to queries that need more, and stays where it has
/// found one that fails.
class RimAdversary {
 public:
  /// A point qualifies a query for an answer from the first inner product on,
  /// and is one from the second on. `points` must outlive the adversary, and
  /// each be longer than `qualifies`.
  RimAdversary(const lsh::PointTable& points, double qualifies, double accepted,
               RandomStream random);

  /// A query on the rim of a random point, whatever was answered before.
  std::span<const double> Random();

  /// The query that answers so far suggest.
  std::span<const double> Next();

  /// What the solver did with the last query.
  void Hear(bool answered, std::size_t copies_asked);

 private:
  struct Place {
    lsh::PointNumber point = 0;
    std::vector<double> query;
    bool failed = false;
    std::size_t copies_asked = 0;
  };

  static bool IsWorse(const Place& one, const Place& other);
  void GoToRandomPlace();
  std::size_t CountAccepted() const;
  void GoNear(const Place& place, double step);
  void MoveOntoRim();

  const lsh::PointTable& points_;
  const double qualifies_;
  const double accepted_;
  RandomStream random_;
  Place now_;
  Place worst_;  // for the solver; where to climb from
  bool explores_ = true;
  double step_;
  std::size_t vain_ = 0;  // queries since the last that got on
};

}  // namespace manyarms

#endif  // MANYARMS_RESEARCH_RIM_ADVERSARY_H_
