#ifndef MANYARMS_RESEARCH_RIM_ADVERSARY_H_
#define MANYARMS_RESEARCH_RIM_ADVERSARY_H_

#include <cstddef>
#include <span>
#include <vector>

#include "lsh/point_table.h"
#include "manyarms/random.h"

namespace manyarms {

/// An adversary that knows the points, but not the solver's randomness. Its
/// queries lie on the rim of a point: their inner product with it is the least
/// that entitles a query to an answer, where solvers fail most often. It climbs
/// from queries that needed many copies to queries that need more, and stays
/// near a query that failed once it has found one.
class RimAdversary {
 public:
  /// The solver must answer a query if some point's inner product with it is at
  /// least `qualifies`; any point with at least `accepted` is a valid answer.
  /// `points` must outlive the adversary, and each point must be longer than
  /// `qualifies`.
  RimAdversary(const lsh::PointTable& points, double qualifies, double accepted,
               RandomStream random);

  /// A query on the rim of a random point; ignores earlier answers.
  std::span<const double> Random();

  /// The next query, chosen by the answers so far.
  std::span<const double> Next();

  /// Tells the adversary what the solver did with the last query.
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
  Place worst_;  // the solver's worst query so far; the climb starts from it
  bool explores_ = true;
  double step_;
  std::size_t vain_ = 0;  // queries since the last that was worse than worst_
};

}  // namespace manyarms

#endif  // MANYARMS_RESEARCH_RIM_ADVERSARY_H_
