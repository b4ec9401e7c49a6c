#include "search/lsh_theory/lsh_theory.h"

#include <cmath>

#include "manyarms/error.h"
#include "manyarms/random.h"
#include "search/top_by_scan.h"

namespace manyarms {
namespace {

using lsh::AdaptiveSolver;
using lsh::MipsProblem;
using lsh::PointNumber;

// The paper's K is the largest that the set will be.
constexpr std::size_t kRoomToGrow = 2;

// Algorithm 2, line 3: the share of the sought uncertainty that is accepted.
constexpr double kElimRatio = 0.25;

float Factor(Objective objective, std::size_t dim) {
  return objective == Objective::kQuadraticForm
             ? 1 / static_cast<float>(dim)  // vec(x x') / d
             : 1;
}

}  // namespace

LshTheorySearch::LshTheorySearch(const LshTheoryOptions& options,
                                 const SearchTask& task, const ArmStore& store,
                                 std::uint64_t seed)
    : options_(options),
      task_(task),
      store_(store),
      seed_(seed),
      points_(task.objective, store, Factor(task.objective, store.dim())),
      scorer_(task.objective) {}

void LshTheorySearch::Add(std::span<const Slot> slots) {
  if (arms_.size() + slots.size() > planned_for_) solvers_.clear();
  for (const Slot slot : slots) {
    arms_.Add(slot);
    const PointNumber number = points_.Add(slot);
    try {
      for (AdaptiveSolver& solver : solvers_) solver.Insert(number);
    } catch (const Error&) {
      // Trees for points of this length do not fit into memory. The arm is
      // taken nevertheless; the next query, which needs the trees, will say so.
      solvers_.clear();
    }
  }
}

void LshTheorySearch::Remove(Slot slot) {
  for (AdaptiveSolver& solver : solvers_) solver.Erase(points_.number(slot));
  points_.Remove(slot);
  arms_.Remove(slot);
}

void LshTheorySearch::Clear() {
  solvers_.clear();
  points_.Clear();
  arms_.Clear();
}

void LshTheorySearch::MakeSolvers(const Query& query) {
  planned_for_ = kRoomToGrow * arms_.size();
  try {
    AddSolvers(query);
  } catch (...) {
    solvers_.clear();
    throw;
  }
}

void LshTheorySearch::AddSolvers(const Query& query) {
  const auto dim = static_cast<double>(store_.dim());
  if (task_.objective == Objective::kQuadraticForm) {
    // Algorithm 2, line 3, where scores are beta^2 |x|^2_{V^-1}.
    const double unit = dim * dim * query.radius * query.radius;
    AddSolver({.ratio = kElimRatio,
               .sought = task_.sought / unit,
               .slack = task_.slack / unit},
              options_.delta * task_.failure_share, 1);
  } else {
    // Algorithm 4, line 3.
    const double step = options_.accuracy / dim;
    const auto count = static_cast<std::size_t>(std::ceil(1 / step));
    solvers_.reserve(count);
    for (std::size_t i = 1; i <= count; ++i) {
      const auto index = static_cast<double>(i);
      AddSolver(
          {.ratio = 1 - 1 / (index + 1), .sought = index * step, .slack = step},
          options_.delta * step / 2, count);
    }
  }
  const lsh::PointTable& table = points_.table();
  for (AdaptiveSolver& solver : solvers_) {
    for (PointNumber n = 0; n < table.end(); ++n) {
      if (table.Contains(n)) solver.Insert(n);
    }
  }
}

void LshTheorySearch::AddSolver(const MipsProblem& problem, double failure,
                                std::size_t of) {
  const std::size_t dim = points_.table().dim();
  const std::size_t copies =
      options_.copies > 0
          ? options_.copies
          : lsh::PaperCopies(dim, planned_for_, problem.slack, failure);
  solvers_.emplace_back(
      points_.table(), problem,
      lsh::SolverOptions{
          .reduction = options_.reduction,
          .copies = copies,
          .points = planned_for_,
          .min_depth = options_.min_depth,
          .max_bytes = options_.max_bytes / static_cast<double>(of),
          .threads = options_.threads},
      RandomStream(seed_, RandomStream::Role::kCopy, solvers_.size()).Bits());
}

// vec(V^-1) / d, or the direction at length 1.
std::vector<double> LshTheorySearch::PaperQuery(const Query& query) const {
  std::vector<float> lifted(points_.table().dim());
  LiftQuery(task_.objective, query, lifted);
  double scale =
      1 / (query.radius * query.radius * static_cast<double>(store_.dim()));
  if (task_.objective == Objective::kInnerProduct) {
    const double norm = Norm(lifted);
    scale = norm > 0 ? 1 / norm : 0;
  }
  std::vector<double> out(lifted.begin(), lifted.end());
  for (double& value : out) value *= scale;
  return out;
}

LshTheorySearch::Answer LshTheorySearch::Ask(AdaptiveSolver& solver,
                                             std::span<const double> query) {
  const lsh::SolverAnswer answer = solver.Find(query);
  stats_.arms_scored += answer.scored;
  stats_.directions += answer.directions;
  return answer.point;
}

// Algorithm 4, line 9: the answer of the last solver that has one.
LshTheorySearch::Answer LshTheorySearch::LastAnswer(
    std::span<const double> query) {
  Answer last;
  std::size_t low = 0;  // solvers below are taken to have an answer
  std::size_t high = solvers_.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (const Answer answer = Ask(solvers_[middle], query)) {
      last = answer;
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return last;
}

std::optional<Hit> LshTheorySearch::Best(const Query& query) {
  if (arms_.size() == 0) return std::nullopt;
  if (task_.objective == Objective::kQuadraticForm && query.radius == 0) {
    return std::nullopt;  // nothing is uncertain
  }
  if (solvers_.empty()) MakeSolvers(query);
  scorer_.Take(query);
  const std::vector<double> paper_query = PaperQuery(query);
  const Answer answer = LastAnswer(paper_query);
  if (answer) return Score(points_.slot(*answer));
  if (task_.objective == Objective::kQuadraticForm) return std::nullopt;
  ++stats_.scans;
  stats_.arms_scored += arms_.size();
  return scorer_.Best(store_.blocks(), arms_.blocks());
}

Hit LshTheorySearch::Score(Slot slot) const {
  const MaskedBlock one{.block = BlockOf(slot), .lanes = 1U << LaneOf(slot)};
  return scorer_.Best(store_.blocks(), {&one, 1});
}

// Trees are made to find one arm that beats a score; the best of some, or the
// best so many, are left to a scan.
std::vector<Hit> LshTheorySearch::Top(const Query& query,
                                      const TopRequest& request) {
  scorer_.Take(query);
  ScannedTop top = TopByScan(scorer_, store_, arms_, request);
  stats_.arms_scored += top.arms;
  ++stats_.scans;
  return std::move(top.hits);
}

}  // namespace manyarms
