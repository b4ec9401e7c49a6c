#include "lsh/adaptive_solver.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "base/threads.h"
#include "kernels/kernels.h"
#include "lsh/sphere.h"

namespace manyarms::lsh {
namespace {

double LogGrid(std::size_t dim, double slack) {
  return std::log(static_cast<double>(dim) / slack);
}

std::size_t Copies(double copies) {
  return static_cast<std::size_t>(std::max(1.0, std::ceil(copies)));
}

}  // namespace

std::size_t PaperCopies(std::size_t dim, std::size_t points, double slack,
                        double failure) {
  return Copies(static_cast<double>(dim) *
                (std::log(static_cast<double>(points)) + LogGrid(dim, slack) -
                 std::log(failure)));
}

std::size_t NeededCopies(std::size_t dim, std::size_t points, double slack,
                         double failure) {
  return Copies(
      (std::log(static_cast<double>(points)) +
       static_cast<double>(dim) * (std::numbers::ln2 + LogGrid(dim, slack)) -
       std::log(failure)) /
      std::numbers::ln10);
}

AdaptiveSolver::AdaptiveSolver(const PointTable& points,
                               const MipsProblem& problem,
                               const SolverOptions& options, std::uint64_t seed)
    : points_(points),
      problem_(problem),
      options_(options),
      seed_(seed),
      meetings_(options.threads) {
  CheckWithin("ratio", problem.ratio, 0, 1);
  CheckWithin("sought", problem.sought, 1e-30, 1e30);
  CheckWithin("slack", problem.slack, 0, 1e30);
  CheckCount("copies", options.copies, 1, 1'000'000);
  CheckCount("threads", options.threads, 1, 1024);
}

const LshPlan& AdaptiveSolver::PlanFor(BandNumber band) {
  const auto known = plans_.find(band);
  if (known != plans_.end()) return known->second;
  const double scale = BandScale(band);
  const double near = std::min(1.0, problem_.sought / scale);
  const auto copies = static_cast<double>(options_.copies);
  return plans_
      .emplace(band,
               PlanLsh({.points = options_.points,
                        .dim = SphereDim(options_.reduction, points_.dim()),
                        .near = SphereCosine(options_.reduction, near),
                        .far = {SphereCosine(options_.reduction,
                                             problem_.ratio * near)},
                        .success = options_.success,
                        .min_depth = options_.min_depth,
                        .max_bytes = options_.max_bytes / copies}))
      .first->second;
}

// An inner product with a unit query is at most the point's length, so points
// shorter than `sought` need not be found.
bool AdaptiveSolver::CanAnswer(BandNumber band) const {
  return BandScale(band) >= problem_.sought;
}

void AdaptiveSolver::Insert(PointNumber number) {
  const BandNumber number_of_band = BandOf(Length(points_[number]));
  if (!CanAnswer(number_of_band)) return;
  auto band = bands_.find(number_of_band);
  if (band == bands_.end()) {
    const LshPlan& plan = PlanFor(number_of_band);
    // All copies of a scan would give the same answer.
    const std::size_t copies = plan.is_scan() ? 1 : options_.copies;
    band = bands_
               .try_emplace(number_of_band, options_.reduction, number_of_band,
                            plan.shape, copies, seed_)
               .first;
  }
  band->second.Insert(number, points_[number]);
}

void AdaptiveSolver::Erase(PointNumber number) {
  const BandNumber number_of_band = BandOf(Length(points_[number]));
  if (!CanAnswer(number_of_band)) return;
  const auto band = bands_.find(number_of_band);
  band->second.Erase(number, points_[number]);
  if (band->second.size() == 0) bands_.erase(band);
}

void AdaptiveSolver::Clear() { bands_.clear(); }

std::size_t AdaptiveSolver::bytes() const {
  std::size_t sum = 0;
  for (const auto& [number, band] : bands_) sum += band.bytes();
  return sum;
}

std::vector<float> AdaptiveSolver::Rounded(
    std::span<const double> query) const {
  const double step = problem_.slack / static_cast<double>(query.size());
  std::vector<float> rounded(query.size());
  std::ranges::transform(query, rounded.begin(), [step](double v) {
    return static_cast<float>(step > 0 ? std::round(v / step) * step : v);
  });
  return rounded;
}

// Asks one single-query solver: goes down its trees and takes the first point
// that passes the check.
void AdaptiveSolver::AskCopy(std::size_t copy, const RoundedQuery& query,
                             Meetings& meetings, SolverAnswer& answer) const {
  constexpr std::size_t kAhead = 8;  // rows fetched ahead of their use
  const double accepted = problem_.ratio * problem_.sought;
  ++answer.copies_asked;
  for (const auto& [number, band] : bands_) {
    if (copy >= band.copies()) continue;
    // Inner products in float reject most points; the rest, including all that
    // rounding may have put on the wrong side, are checked in double.
    const auto hopeless = static_cast<float>(
        accepted - RoundingError(points_.dim(), band.scale() * query.length));
    const auto look_at = [&](std::span<const PointNumber> leaf) {
      for (std::size_t i = 0; i < leaf.size(); ++i) {
        if (i + kAhead < leaf.size()) points_.Prefetch(leaf[i + kAhead]);
        const PointNumber point = leaf[i];
        if (!meetings.First(point)) continue;
        ++answer.scored;
        if (kernels::InnerProduct(points_.row(point), query.padded.data(),
                                  points_.stride()) < hopeless) {
          continue;
        }
        if (InnerProduct(points_[point], query.values) < accepted) continue;
        answer.point = point;
        return false;
      }
      return true;
    };
    const auto threshold =
        static_cast<float>(plans_.at(number).query_threshold);
    answer.directions +=
        band.tree(copy).VisitLeaves(query.on_sphere, threshold, look_at);
    if (answer.point) return;
  }
}

SolverAnswer AdaptiveSolver::Find(std::span<const double> query) {
  RoundedQuery rounded;
  rounded.values = Rounded(query);
  rounded.padded = rounded.values;
  rounded.padded.resize(points_.stride());
  rounded.length = Length(rounded.values);
  rounded.on_sphere.resize(SphereDim(options_.reduction, query.size()));
  QueryOnSphere(options_.reduction, rounded.values, rounded.on_sphere);
  for (Meetings& meetings : meetings_) meetings.Begin(points_.end());
  return options_.threads == 1 ? AskOneAfterAnother(rounded)
                               : AskInParallel(rounded);
}

SolverAnswer AdaptiveSolver::AskOneAfterAnother(const RoundedQuery& query) {
  SolverAnswer answer;
  for (std::size_t i = 0; i < options_.copies && !answer.point; ++i) {
    AskCopy(i, query, meetings_.front(), answer);
  }
  return answer;
}

// The answer is that of the lowest-numbered copy that finds a point. It is the
// same as if copies were asked one after another, because all copies accept
// the same points.
SolverAnswer AdaptiveSolver::AskInParallel(const RoundedQuery& query) {
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> first = options_.copies;
  std::vector<SolverAnswer> answers(options_.copies);
  const auto work = [&](std::size_t thread) {
    for (;;) {
      const std::size_t copy = next++;
      if (copy >= first.load()) return;
      AskCopy(copy, query, meetings_[thread], answers[copy]);
      if (!answers[copy].point) continue;
      std::size_t lowest = first.load();
      while (copy < lowest && !first.compare_exchange_weak(lowest, copy)) {
      }
    }
  };
  RunOnThreads(options_.threads, work);
  SolverAnswer sum;
  for (const SolverAnswer& answer : answers) {
    sum.copies_asked += answer.copies_asked;
    sum.directions += answer.directions;
    sum.scored += answer.scored;
  }
  if (first < options_.copies) sum.point = answers[first].point;
  return sum;
}

}  // namespace manyarms::lsh
