#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "lsh/gaussian.h"
#include "lsh/reductions.h"
#include "lsh/sphere.h"
#include "manyarms/error.h"
#include "manyarms/research/filter_tree_plan.h"

namespace manyarms {
namespace {

using lsh::JointUpperTail;
using lsh::UpperTail;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The probability that a query and a point reach a common leaf, if both pass to
// a given child with probability `pass`. This is a branching process.
double MeetProbability(double pass, const TreeShape& shape) {
  double meet = 1;
  for (std::size_t level = 0; level < shape.depth; ++level) {
    meet = -std::expm1(static_cast<double>(shape.branching) *
                       std::log1p(-pass * meet));
  }
  return meet;
}

// The largest x in [low, high] with f(x) >= level, for a decreasing f with
// f(low) >= level.
template <class Function>
double LastReaching(const Function& f, double level, double low, double high,
                    double precision) {
  if (f(high) >= level) return high;
  for (int i = 0; i < 60 && high - low > precision; ++i) {
    const double middle = (low + high) / 2;
    (f(middle) >= level ? low : high) = middle;
  }
  return low;
}

// The probability with which a near pair must pass to a child to reach
// `success`.
double NeededPass(const TreeShape& shape, double success) {
  // The search is over -log(pass), in which the probability decreases.
  const double x = LastReaching(
      [&](double minus_log) {
        return MeetProbability(std::exp(-minus_log), shape);
      },
      success, 0, 60, 1e-9);
  return std::exp(-x);
}

// The expected number of inner nodes reached: the sum of (branching * pass)^k
// for k < depth.
double NodesReached(const TreeShape& shape, double pass) {
  const double per_node = static_cast<double>(shape.branching) * pass;
  double reached = 0;
  double at_level = 1;
  for (std::size_t level = 0; level < shape.depth; ++level) {
    reached += at_level;
    at_level *= per_node;
  }
  return reached;
}

// The expected memory of all nodes and leaves that hold a point.
double TreeBytes(const TreeShape& shape, double points) {
  constexpr double kNodeBytes = 120;
  constexpr double kLeafBytes = 72;
  const auto branching = static_cast<double>(shape.branching);
  const double lanes = std::ceil(branching / 16) * 16;
  const double pass = UpperTail(shape.point_threshold);
  const auto occupied = [&](double level) {
    const double nodes = std::pow(branching, level);
    return -nodes * std::expm1(points * std::log1p(-std::min(
                                            std::pow(pass, level), 1 - 1e-16)));
  };
  double bytes = 0;
  for (std::size_t level = 0; level < shape.depth; ++level) {
    bytes += occupied(static_cast<double>(level)) *
             (kNodeBytes + 4 * branching +
              4 * lanes * static_cast<double>(shape.dim));
  }
  const auto depth = static_cast<double>(shape.depth);
  bytes += occupied(depth) * kLeafBytes;
  // Each entry takes 4 bytes, and on average a leaf's list has room for half as
  // many again.
  return bytes + 6 * points * std::pow(branching * pass, depth);
}

LshPlan Scan(const LshPlanRequest& request) {
  const auto points = static_cast<double>(request.points);
  LshPlan plan;
  plan.shape.dim = request.dim;
  plan.query_threshold = -kInfinity;
  plan.candidates = points;
  plan.reads = points;
  plan.cost = points;
  plan.entries = 1;
  plan.bytes = 6 * points;
  return plan;
}

// The expected inner products on a query's way down.
double Directions(const TreeShape& shape, double query_threshold) {
  return static_cast<double>(shape.branching) *
         NodesReached(shape, UpperTail(query_threshold));
}

// The plan for a tree with these two thresholds, with its expected costs.
LshPlan Expect(const TreeShape& shape, double query_threshold,
               const LshPlanRequest& request) {
  const auto points = static_cast<double>(request.points);
  const auto branching = static_cast<double>(shape.branching);
  const auto depth = static_cast<double>(shape.depth);
  const double point_pass = UpperTail(shape.point_threshold);
  LshPlan plan;
  plan.shape = shape;
  plan.query_threshold = query_threshold;
  plan.success = MeetProbability(
      JointUpperTail(shape.point_threshold, query_threshold, request.near),
      shape);
  plan.directions = branching * NodesReached(shape, UpperTail(query_threshold));
  for (const double cosine : request.far) {
    const double pass =
        JointUpperTail(shape.point_threshold, query_threshold, cosine);
    plan.candidates += MeetProbability(pass, shape);
    plan.reads += std::pow(branching * pass, depth);
  }
  const double each = points / static_cast<double>(request.far.size());
  plan.candidates *= each;
  plan.reads *= each;
  plan.cost = request.costs.direction * plan.directions +
              request.costs.candidate * plan.candidates +
              request.costs.read * plan.reads;
  plan.entries = std::pow(branching * point_pass, depth);
  plan.insert_directions = branching * NodesReached(shape, point_pass);
  plan.bytes = TreeBytes(shape, points);
  return plan;
}

// The highest query threshold with which a near pair passes to a child with
// probability `needed_pass`, if there is one.
std::optional<double> QueryThreshold(const TreeShape& shape, double near,
                                     double needed_pass) {
  constexpr double kLow = -9;
  constexpr double kHigh = 12;
  const auto pass = [&](double threshold) {
    return JointUpperTail(shape.point_threshold, threshold, near);
  };
  if (pass(kLow) < needed_pass) return std::nullopt;
  return LastReaching(pass, needed_pass, kLow, kHigh, 1e-5);
}

// The plan with the best point threshold for a depth and a branching. As the
// point threshold grows, the cost falls and then rises again.
std::optional<LshPlan> BestOfBranching(TreeShape shape, double cost_to_beat,
                                       const LshPlanRequest& request) {
  const double needed = NeededPass(shape, request.success);
  double best_cost = cost_to_beat;
  const auto plan_at = [&](double point_threshold) -> std::optional<LshPlan> {
    shape.point_threshold = point_threshold;
    const auto query = QueryThreshold(shape, request.near, needed);
    if (!query) return std::nullopt;
    // The way down alone may cost more than the best plan.
    if (request.costs.direction * Directions(shape, *query) > best_cost) {
      return std::nullopt;
    }
    LshPlan plan = Expect(shape, *query, request);
    if (plan.bytes > request.max_bytes ||
        plan.insert_directions > request.max_insert_directions) {
      return std::nullopt;
    }
    return plan;
  };
  std::optional<LshPlan> best;
  const auto offer = [&](double threshold) {
    const auto plan = plan_at(threshold);
    if (!plan || (best && plan->cost >= best->cost)) return;
    best = plan;
    best_cost = std::min(best_cost, plan->cost);
  };
  // Thresholds from -2 to 5 are tried in coarse steps, then fine steps around
  // the best of them.
  constexpr double kFine = 0.1;
  constexpr int kCoarse = 4;  // in fine steps
  for (int step = -20; step <= 50; step += kCoarse) offer(kFine * step);
  if (!best) return best;
  const double around = best->shape.point_threshold;
  for (int step = 1 - kCoarse; step < kCoarse; ++step) {
    offer(around + kFine * step);
  }
  return best;
}

// Improves `best` by plans of one depth, with increasing branching.
void PlanDepth(std::size_t depth, const LshPlanRequest& request,
               std::optional<LshPlan>& best) {
  constexpr double kGrowth = 1.25;
  constexpr std::size_t kMost = 1'000'000;
  double least = kInfinity;
  for (std::size_t branching = 2; branching <= kMost;
       branching = static_cast<std::size_t>(
           std::ceil(kGrowth * static_cast<double>(branching)))) {
    // The root's directions alone would cost more than the best plan.
    if (best &&
        request.costs.direction * static_cast<double>(branching) > best->cost) {
      return;
    }
    double to_beat = kInfinity;
    if (best) to_beat = best->cost;
    const auto plan = BestOfBranching(
        {.dim = request.dim, .depth = depth, .branching = branching}, to_beat,
        request);
    if (!plan) continue;
    if (!best || plan->cost < best->cost) best = plan;
    // The cost is past its minimum for this depth. The margin is there because
    // costs on a coarse grid do not fall and rise evenly.
    constexpr double kMargin = 1.5;
    if (plan->cost > kMargin * least) return;
    least = std::min(least, plan->cost);
  }
}

void CheckRequest(const LshPlanRequest& request) {
  CheckCount("points", request.points, 1, 1'000'000'000'000);
  CheckCount("dimension", request.dim, 1, 10'000'000);
  CheckWithin("near", request.near, 0, 1);
  for (const double cosine : request.far) CheckWithin("far", cosine, -1, 1);
  CheckCount("number of far cosines", request.far.size(), 1, 1'000'000);
  CheckWithin("success", request.success, 0.01, 0.999999);
  CheckWithin("max bytes", request.max_bytes, 0, 1e300);
  CheckWithin("max insert directions", request.max_insert_directions, 0, 1e300);
  CheckWithin("cost of a direction", request.costs.direction, 0, 1e9);
  CheckWithin("cost of a read", request.costs.read, 0, 1e9);
  CheckWithin("cost of a candidate", request.costs.candidate, 0, 1e9);
  CheckCount("max depth", request.max_depth, 1, 16);
  CheckCount("min depth", request.min_depth, 0, request.max_depth);
}

}  // namespace

std::string_view ReductionName(Reduction reduction) {
  return Choices<Reduction>{kReductions}.Name(reduction);
}

LshPlan PlanLsh(const LshPlanRequest& request) {
  CheckRequest(request);
  std::optional<LshPlan> best;
  if (request.min_depth == 0) best = Scan(request);
  for (std::size_t depth = std::max<std::size_t>(1, request.min_depth);
       depth <= request.max_depth; ++depth) {
    PlanDepth(depth, request, best);
  }
  if (!best) {
    throw Error(ErrorCode::kTooLarge,
                fmt::format("no filter tree of depth {} or more over {} points "
                            "of dimension {} fits into {:.3g} bytes and finds "
                            "cosine {:.3g} with probability {:.3g}",
                            request.min_depth, request.points, request.dim,
                            request.max_bytes, request.near, request.success));
  }
  return *best;
}

LshPlan PlanQuery(const TreeShape& shape, const LshPlanRequest& request) {
  CheckRequest(request);
  if (shape.depth == 0) return Scan(request);
  const auto threshold =
      QueryThreshold(shape, request.near, NeededPass(shape, request.success));
  // If no threshold is low enough, the query visits the whole tree.
  return Expect(shape, threshold.value_or(-kInfinity), request);
}

std::optional<std::size_t> BreakEvenPoints(const LshPlanRequest& request,
                                           std::size_t most) {
  LshPlanRequest at = request;
  at.min_depth = 0;
  const auto tree_wins = [&](double points) {
    at.points = static_cast<std::size_t>(points);
    return !PlanLsh(at).is_scan();
  };
  // Sizes are tried from below, because at large sizes a scan may win merely
  // since no tree fits into memory.
  constexpr double kStep = 2;
  double low = 1;
  double high = kStep;
  while (!tree_wins(high)) {
    if (high >= static_cast<double>(most)) return std::nullopt;
    low = high;
    high = std::min(high * kStep, static_cast<double>(most));
  }
  while (high / low > 1.05) {
    const double middle = std::sqrt(low * high);
    (tree_wins(middle) ? high : low) = middle;
  }
  return static_cast<std::size_t>(high);
}

double PaperExponent(double ratio, double sought) {
  const double square = (3 - ratio * sought) / (3 - sought);  // c'^2
  return 4 * square / ((1 + square) * (1 + square));
}

// Section 3.3.3 of Andoni et al. with rho_u = 0, in the form in which nothing
// cancels: with sigma and tau, the exponents of F(eta_u)^depth and
// F(eta_q)^depth, it is (sigma + tau - 2 near sqrt(sigma tau)) / (1 - near^2)
// - tau = (sqrt(sigma) - near sqrt(tau))^2 / (1 - near^2), where sqrt(tau) =
// near s / (1 - near far), sqrt(sigma) = far sqrt(tau) + s and s = sqrt(1 -
// far^2).
double AsymptoticExponent(double near, double far) {
  CheckWithin("near", near, 0, 1 - 1e-9);
  CheckWithin("far", far, -1, near);
  const double product = 1 - near * far;
  return (1 - near) * (1 + near) * (1 - far) * (1 + far) / (product * product);
}

}  // namespace manyarms
