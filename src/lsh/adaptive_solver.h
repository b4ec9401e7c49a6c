#ifndef MANYARMS_LSH_ADAPTIVE_SOLVER_H_
#define MANYARMS_LSH_ADAPTIVE_SOLVER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "lsh/band.h"
#include "lsh/meetings.h"
#include "lsh/point_table.h"
#include "manyarms/research/filter_tree_plan.h"

namespace manyarms::lsh {

/// The (c, r, epsilon)-MIPS problem (Definition 3.1): for a query q of length
/// at most 1, find a point p with <q, p> >= ratio * sought - slack if some
/// point has <q, p> >= sought + slack.
struct MipsProblem {
  double ratio = 0.5;   ///< c
  double sought = 0.8;  ///< r
  double slack = 0;     ///< epsilon
};

struct SolverOptions {
  Reduction reduction = Reduction::kSymmetric;
  std::size_t copies = 1;  ///< kappa
  /// Probability that one copy answers one query. The theory asks for 0.9; a
  /// share measured over a thousand queries is safely above that only if the
  /// probability is higher.
  double success = 0.95;
  std::size_t points = 1000;  ///< number to plan for; any number may be added
  std::size_t min_depth = 0;  ///< 1 forces a tree even if a scan costs less
  double max_bytes = 8e9;     ///< for all copies together
  std::size_t threads = 1;    ///< that ask copies at the same time
};

/// kappa of Algorithm 1: d ln(K d / (epsilon delta)).
std::size_t PaperCopies(std::size_t dim, std::size_t points, double slack,
                        double failure);

/// The copies that the proof of Theorem 3.3 needs:
/// ln(K (2d / epsilon)^d / delta) / ln 10.
std::size_t NeededCopies(std::size_t dim, std::size_t points, double slack,
                         double failure);

struct SolverAnswer {
  std::optional<PointNumber> point;
  std::size_t copies_asked = 0;
  std::uint64_t directions = 0;  ///< inner products with nodes' directions
  std::uint64_t scored = 0;      ///< points scored, summed over threads
};

/// Algorithm 1, M(c, r, epsilon, delta): rounds a query to a grid and asks
/// independent copies of a single-query solver until one finds a point that
/// passes the check. With a single copy and no slack it is that solver, S(c, r,
/// 0) of Proposition 3.2.
///
/// Every answer p has <q^, p> >= ratio * sought for the rounded query q^.
/// Points may be longer than 1; the slack is then multiplied by the length of
/// the longest.
///
/// Thread safety: none. One thread at a time may use a solver.
class AdaptiveSolver {
 public:
  /// Throws Error for values out of bounds. `points` must outlive the solver.
  AdaptiveSolver(const PointTable& points, const MipsProblem& problem,
                 const SolverOptions& options, std::uint64_t seed);

  /// Throws Error if the planner refuses the options or no tree fits into
  /// max_bytes. REQUIRES: the point is in the table, but not in the solver.
  void Insert(PointNumber number);
  /// REQUIRES: the point is in the solver and still in the table.
  void Erase(PointNumber number);
  void Clear();

  SolverAnswer Find(std::span<const double> query);

  /// The nearest point whose coordinates are multiples of slack / d (line 10).
  std::vector<float> Rounded(std::span<const double> query) const;

  const MipsProblem& problem() const { return problem_; }
  std::size_t copies() const { return options_.copies; }
  std::size_t bytes() const;

  /// The plan for points whose lengths are in this band.
  const LshPlan& PlanFor(BandNumber band);

  /// Whether both hold the same trees.
  friend bool operator==(const AdaptiveSolver& one,
                         const AdaptiveSolver& other) {
    return one.bands_ == other.bands_;
  }

 private:
  struct RoundedQuery {
    std::vector<float> values;
    std::vector<float> padded;  // values, padded with 0 to the points' stride
    std::vector<float> on_sphere;
    double length = 0;
  };

  bool CanAnswer(BandNumber band) const;
  void AskCopy(std::size_t copy, const RoundedQuery& query, Meetings& meetings,
               SolverAnswer& answer) const;
  SolverAnswer AskOneAfterAnother(const RoundedQuery& query);
  SolverAnswer AskInParallel(const RoundedQuery& query);

  const PointTable& points_;
  const MipsProblem problem_;
  const SolverOptions options_;
  const std::uint64_t seed_;
  std::map<BandNumber, LshPlan> plans_;
  std::map<BandNumber, Band, std::greater<>> bands_;

  std::vector<Meetings> meetings_;  // scratch, one for each thread
};

}  // namespace manyarms::lsh

#endif  // MANYARMS_LSH_ADAPTIVE_SOLVER_H_
