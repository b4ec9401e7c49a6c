#include "manyarms/research/adversary.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <numeric>

#include "base/check.h"
#include "base/threads.h"
#include "lsh/adaptive_solver.h"
#include "research/rim_adversary.h"
#include "research/share_interval.h"

namespace manyarms {
namespace {

using lsh::AdaptiveSolver;
using lsh::PointNumber;
using lsh::PointTable;
using Role = RandomStream::Role;

constexpr double kMostQualifying = 0.95;  // largest sought + slack
// Points must be longer than sought + slack, or no query could reach them.
constexpr double kShortest = 0.97;
constexpr double kSpread = 0.01;  // standard deviation within a cluster
constexpr double kConfidence = 0.99;

void Check(const AdversaryOptions& options) {
  CheckCount("dimension", options.dim, 2, 64);
  CheckCount("points", options.points, 1, 1'000'000);
  CheckWithin("ratio", options.ratio, 0.01, 1);
  CheckWithin("slack", options.slack, 1e-3, 0.5);
  CheckWithin("sought", options.sought, 0.1, kMostQualifying - options.slack);
  CheckWithin("delta", options.delta, 1e-9, 0.5);
  CheckWithin("success", options.success, 0.5, 0.999);
  CheckCount("sequences", options.sequences, 1, 1'000'000);
  CheckCount("queries", options.queries, 1, 1'000'000);
  CheckCount("length of the list of copies", options.copies.size(), 1, 100);
  for (const std::size_t copies : options.copies) {
    CheckCount("copies", copies, 0, 10'000);
  }
  CheckCount("threads", options.threads, 1, 1024);
}

PointTable MakePoints(const AdversaryOptions& options) {
  PointTable points(options.dim);
  std::vector<float> point(options.dim);
  for (std::size_t i = 0; i < options.points; ++i) {
    RandomStream random(options.seed, Role::kArm, i);
    random.Gaussians(std::span(point));
    for (float& value : point) value *= static_cast<float>(kSpread);
    point[i / 2 % options.dim] += i % 2 == 0 ? 1.0F : -1.0F;
    // The 1e-6 keeps lengths below 1 in spite of rounding.
    const double length = kShortest + (1 - 1e-6 - kShortest) * random.Uniform();
    const auto factor = static_cast<float>(length / lsh::Length(point));
    for (float& value : point) value *= factor;
    points.Add(point);
  }
  return points;
}

std::vector<AdversaryResult> EmptyResults(const AdversaryOptions& options) {
  std::vector<AdversaryResult> all = {{.adaptive = false, .failures_at = {}}};
  for (const std::size_t copies : options.copies) {
    if (copies > 0) {
      all.push_back({.copies = copies, .failures_at = {}});
      continue;
    }
    all.push_back({.copies_by = CopiesBy::kProof,
                   .copies = lsh::NeededCopies(options.dim, options.points,
                                               options.slack, options.delta),
                   .failures_at = {}});
    all.push_back({.copies_by = CopiesBy::kFormula,
                   .copies = lsh::PaperCopies(options.dim, options.points,
                                              options.slack, options.delta),
                   .failures_at = {}});
  }
  for (AdversaryResult& one : all) one.failures_at.resize(options.queries);
  return all;
}

double InnerProduct(std::span<const float> p, std::span<const double> q) {
  return std::inner_product(p.begin(), p.end(), q.begin(), 0.0);
}

// Runs one sequence of queries against one solver. Sequence n uses the same
// seeds for every number of copies, so that solvers share their first copies
// and differ in the number of copies alone.
class Sequence {
 public:
  Sequence(const AdversaryOptions& options, const PointTable& points,
           std::size_t copies, std::uint64_t number)
      : options_(options),
        points_(points),
        solver_(points,
                {.ratio = options.ratio,
                 .sought = options.sought,
                 .slack = options.slack},
                {.reduction = options.reduction,
                 .copies = copies,
                 .success = options.success,
                 .points = options.points,
                 .min_depth = 1},
                RandomStream(options.seed, Role::kCopy, number).Bits()),
        adversary_(points, options.sought + options.slack,
                   options.ratio * options.sought,
                   RandomStream(options.seed, Role::kAdversary, number)) {
    for (PointNumber n = 0; n < points.end(); ++n) solver_.Insert(n);
  }

  AdversaryResult Run(bool adaptive) {
    AdversaryResult result{
        .adaptive = adaptive, .copies = solver_.copies(), .failures_at = {}};
    result.failures_at.resize(options_.queries);
    for (std::size_t i = 0; i < options_.queries; ++i) {
      const std::span<const double> query =
          adaptive ? adversary_.Next() : adversary_.Random();
      const lsh::SolverAnswer answer = solver_.Find(query);
      result.copies_asked += answer.copies_asked;
      if (answer.point) {
        result.most_copies_asked =
            std::max(result.most_copies_asked, answer.copies_asked);
        if (InnerProduct(points_[*answer.point], query) < Accepted()) {
          ++result.wrong_answers;
        }
      } else if (HasAnswer(query)) {
        ++result.failed_queries;
        ++result.failures_at[i];
      }
      adversary_.Hear(answer.point.has_value(), answer.copies_asked);
    }
    result.failed_sequences = result.failed_queries > 0 ? 1 : 0;
    return result;
  }

 private:
  double Accepted() const {
    return options_.ratio * options_.sought - options_.slack;
  }
  bool HasAnswer(std::span<const double> query) const {
    for (PointNumber n = 0; n < points_.end(); ++n) {
      if (InnerProduct(points_[n], query) >= options_.sought + options_.slack) {
        return true;
      }
    }
    return false;
  }

  const AdversaryOptions& options_;
  const PointTable& points_;
  AdaptiveSolver solver_;
  RimAdversary adversary_;
};

// Adds whole numbers only, so the order in which sequences finish does not
// matter.
void Add(const AdversaryResult& one, AdversaryResult& sum) {
  sum.failed_sequences += one.failed_sequences;
  sum.failed_queries += one.failed_queries;
  sum.wrong_answers += one.wrong_answers;
  sum.copies_asked += one.copies_asked;
  sum.most_copies_asked =
      std::max(sum.most_copies_asked, one.most_copies_asked);
  for (std::size_t i = 0; i < sum.failures_at.size(); ++i) {
    sum.failures_at[i] += one.failures_at[i];
  }
}

}  // namespace

std::vector<AdversaryResult> RunAdversary(
    const AdversaryOptions& options,
    const std::function<void(double)>& progress) {
  Check(options);
  const PointTable points = MakePoints(options);
  std::vector<AdversaryResult> results = EmptyResults(options);

  // Each sequence of each result is a task.
  const std::size_t tasks = results.size() * options.sequences;
  std::atomic<std::size_t> next = 0;
  std::size_t done = 0;  // `mutex` guards done, failure and results
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&](std::size_t) {
    for (std::size_t task = next++; task < tasks; task = next++) {
      try {
        const std::size_t which = task % results.size();
        Sequence sequence(options, points, results[which].copies,
                          task / results.size());
        const AdversaryResult one = sequence.Run(results[which].adaptive);
        const std::scoped_lock lock(mutex);
        Add(one, results[which]);
        ++done;
        if (progress) {
          progress(static_cast<double>(done) / static_cast<double>(tasks));
        }
      } catch (...) {
        const std::scoped_lock lock(mutex);
        failure = std::current_exception();
        next = tasks;
      }
    }
  };
  RunOnThreads(std::min(options.threads, tasks), work);
  if (failure) std::rethrow_exception(failure);

  for (AdversaryResult& result : results) {
    result.failed_share_at_most =
        ShareAtMost(result.failed_sequences, options.sequences, kConfidence);
  }
  return results;
}

}  // namespace manyarms
