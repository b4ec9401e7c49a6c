#ifndef MANYARMS_RESEARCH_FILTER_TREE_PLAN_H_
#define MANYARMS_RESEARCH_FILTER_TREE_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "manyarms/search_options.h"

/// The planner of filter trees (Andoni, Laarhoven, Razenshteyn, Waingarten
/// 2017), the data structure behind the paper's Proposition 3.2 and
/// `--search lsh`.
namespace manyarms {

/// The cosine on the sphere of a pair with this inner product, for |q| = 1.
double SphereCosine(Reduction reduction, double inner_product);
std::size_t SphereDim(Reduction reduction, std::size_t dim);

/// A tree in which every inner node has `branching` children, each with a
/// random Gaussian direction u. A point goes down to all children with
/// <p, u> >= point_threshold, a query to those with <q, u> >= query_threshold.
/// Points lie in the leaves, at `depth`. A tree of depth 0 is a single leaf, so
/// a query scans all points.
struct TreeShape {
  std::size_t dim = 0;  ///< of points on the sphere
  std::size_t depth = 0;
  std::size_t branching = 1;
  double point_threshold = 0;  ///< eta_u in the paper

  friend bool operator==(const TreeShape&, const TreeShape&) = default;
};

/// The cost of each operation; 1 is what a scan takes to score one point. By
/// default every inner product costs the same, and a point is scored each time
/// it is found, as in the theory. (If each point were counted once, the planner
/// would prefer a tree that finds nearly all points and saves only those that
/// it may miss, a tenth if success is 0.9.)
struct LshCosts {
  double direction = 1;  ///< an inner product with a node's direction
  double read = 1;       ///< finding a point in a leaf, each time
  double candidate = 0;  ///< extra cost of finding a point the first time
};

struct LshPlanRequest {
  std::size_t points = 10'000;  ///< K
  std::size_t dim = 17;         ///< of points on the sphere
  /// Cosine between the query and the point that must be found.
  double near = 0.8;
  /// A sample of the cosines between the query and all other points, each
  /// standing for an equal share of the points. In the theory's worst case all
  /// lie at the largest cosine that need not be found.
  std::vector<double> far = {0.4};
  double success = 0.9;       ///< for one query, over the tree's randomness
  std::size_t min_depth = 0;  ///< 1 forces a tree even if a scan costs less
  std::size_t max_depth = 8;
  double max_bytes = 8e9;
  /// The most inner products that inserting a point may take.
  double max_insert_directions = 1e18;
  LshCosts costs = {};
};

/// A plan with its expected costs.
struct LshPlan {
  TreeShape shape;
  double query_threshold = 0;  ///< eta_q in the paper
  double success = 1;
  // Expected of a query:
  double directions = 0;  ///< inner products on the way down
  double candidates = 0;  ///< distinct points found
  double reads = 0;       ///< points found, including repetitions
  double cost = 0;        ///< by LshCosts; a scan costs one for each point
  // Expected of the tree:
  double entries = 0;            ///< leaves that hold a given point
  double insert_directions = 0;  ///< inner products to insert a point
  double bytes = 0;

  bool is_scan() const { return shape.depth == 0; }
};

/// Returns the tree with the least query cost among those that reach
/// request.success and fit in request.max_bytes, over a grid of shapes with up
/// to a million children per node. Costs come from exact Gaussian tails, not
/// from asymptotics. Throws Error(kInvalidArgument) for a request out of bounds
/// and Error(kTooLarge) if no tree of depth min_depth or more fits. Takes about
/// ten milliseconds.
LshPlan PlanLsh(const LshPlanRequest& request);

/// Returns the query threshold with which a tree of this shape reaches
/// request.success at request.near, and the expected costs. If no threshold
/// does, the query visits the whole tree.
LshPlan PlanQuery(const TreeShape& shape, const LshPlanRequest& request);

/// Returns the smallest number of points (to within a few percent) from which a
/// tree costs less than a scan, or nothing if it is above `most`.
/// `request.points` is ignored.
std::optional<std::size_t> BreakEvenPoints(const LshPlanRequest& request,
                                           std::size_t most = 100'000'000);

/// rho_q of Proposition 3.2: the asymptotic exponent of K in the time of a
/// query that must find a point with <q, p> >= ratio * sought.
double PaperExponent(double ratio, double sought);

/// The same exponent for any reduction, from the cosine of the point that must
/// be found and the cosine of those that need not be.
double AsymptoticExponent(double near, double far);

}  // namespace manyarms

#endif  // MANYARMS_RESEARCH_FILTER_TREE_PLAN_H_
