#ifndef MANYARMS_RESEARCH_FILTER_TREE_PLAN_H_
#define MANYARMS_RESEARCH_FILTER_TREE_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "manyarms/search_options.h"

/// Planning a filter tree (Andoni, Laarhoven, Razenshteyn, Waingarten 2017),
/// the data structure behind the paper's Proposition 3.2 and `--search lsh`.
namespace manyarms {

/// The cosine on the sphere of a pair with this inner product, |q| = 1.
double SphereCosine(Reduction reduction, double inner_product);
std::size_t SphereDim(Reduction reduction, std::size_t dim);

/// A tree in which every inner node has `branching` children, each with a
/// random Gaussian direction u. A point goes down to all children with
/// <p, u> >= point_threshold, a query to those with <q, u> >= query_threshold;
/// points lie in leaves at `depth`. Depth 0 is a single leaf, a scan.
struct TreeShape {
  std::size_t dim = 0;  ///< of points on the sphere
  std::size_t depth = 0;
  std::size_t branching = 1;
  double point_threshold = 0;  ///< eta_u in the paper

  friend bool operator==(const TreeShape&, const TreeShape&) = default;
};

/// What things cost, in points scored by a scan. By default every inner
/// product costs the same, and a point is scored as often as it is found, as in
/// the theory. (Counting a point once would let a tree win that merely leaves
/// out the tenth of the points that it may miss.)
struct LshCosts {
  double direction = 1;  ///< an inner product with a node's direction
  double read = 1;       ///< finding a point in a leaf, every time
  double candidate = 0;  ///< finding a point in a leaf for the first time
};

struct LshPlanRequest {
  std::size_t points = 10'000;  ///< K
  std::size_t dim = 17;         ///< of points on the sphere
  /// Cosine with the query of what must be found.
  double near = 0.8;
  /// Cosines with the query of all other points, each standing for as many. In
  /// the theory's worst case all are as near as need not be found.
  std::vector<double> far = {0.4};
  double success = 0.9;       ///< for one query, over the tree's randomness
  std::size_t min_depth = 0;  ///< 1: a tree even where a scan costs less
  std::size_t max_depth = 8;
  double max_bytes = 8e9;
  /// The most inner products that putting a point in may take.
  double max_insert_directions = 1e18;
  LshCosts costs = {};
};

/// A plan, and what is to be expected of it.
struct LshPlan {
  TreeShape shape;
  double query_threshold = 0;  ///< eta_q in the paper
  double success = 1;
  // Of a query:
  double directions = 0;  ///< inner products on the way down
  double candidates = 0;  ///< different points found
  double reads = 0;       ///< points found, those found again included
  double cost = 0;        ///< of all this, in scored points of a scan
  // Of the tree:
  double entries = 0;            ///< leaves that hold a point
  double insert_directions = 0;  ///< inner products to put a point in
  double bytes = 0;

  bool is_scan() const { return shape.depth == 0; }
};

/// The tree of least query cost, on a grid of shapes with up to a million
/// children a node, among those that keep the promise and fit in memory. Exact
/// in the Gaussian tails, with no asymptotics. Throws Error(kInvalidArgument)
/// for a request out of bounds and Error(kTooLarge) where no tree of the least
/// depth fits. Takes some ten milliseconds.
LshPlan PlanLsh(const LshPlanRequest& request);

/// The query threshold with which a tree of this shape keeps the promise for
/// another `near`, and what to expect then.
LshPlan PlanQuery(const TreeShape& shape, const LshPlanRequest& request);

/// The number of points, up to `most` and to some percent, from which on a tree
/// costs less than a scan; none if there is no such number. `request.points` is
/// ignored.
std::optional<std::size_t> BreakEvenPoints(const LshPlanRequest& request,
                                           std::size_t most = 100'000'000);

/// rho_q of Proposition 3.2: the exponent of K in the query time, as K grows
/// without bound, of finding <q, p> >= ratio * sought.
double PaperExponent(double ratio, double sought);

/// The same for any reduction, from the cosines of what must be found and what
/// need not.
double AsymptoticExponent(double near, double far);

}  // namespace manyarms

#endif  // MANYARMS_RESEARCH_FILTER_TREE_PLAN_H_
