#include "search/lsh_theory/lsh_theory.h"

#include <cmath>

#include "manyarms/error.h"
#include "manyarms/random.h"
#include "search/lsh_theory/kind.h"
#include "search/scorer.h"
#include "search/top_by_scan.h"

namespace manyarms {
namespace {

using lsh::AdaptiveSolver;
using lsh::MipsProblem;
using lsh::PointNumber;

// The paper's K is the largest number of arms that there will be. Solvers are
// made for this multiple of the arms that there are.
constexpr std::size_t kRoomToGrow = 2;

// Algorithm 2, line 3: the share of the sought uncertainty that is accepted.
constexpr double kElimRatio = 0.25;

float Factor(Objective objective, std::size_t dim) {
  return objective == Objective::kQuadraticForm
             ? 1 / static_cast<float>(dim)  // vec(x x') / d
             : 1;
}

class LshTheoryFinder final : public Finder {
 public:
  explicit LshTheoryFinder(LshTheoryIndex& index) : index_(index) {}

  std::optional<Hit> Best(const Query& query) override {
    return index_.Best(query, stats_, LshTheoryIndex::Solvers::kMade);
  }

  // Solvers are made for the number of arms that there are, so that is left to
  // a choice.
  std::optional<Hit> BestWithoutTrace(const Query& query) override {
    return index_.Best(query, stats_, LshTheoryIndex::Solvers::kThatThereAre);
  }

  // Trees are made to find one arm that beats a score; the top k, and the best
  // of eligible arms, are left to a scan.
  std::vector<Hit> Top(const Query& query, const TopRequest& request) override {
    ScannedTop top =
        TopByScan(Scorer(index_.task().objective, query), index_.store(),
                  index_.members().arms(), request);
    stats_.arms_scored += top.arms;
    ++stats_.scans;
    return std::move(top.hits);
  }

  SearchStats stats() const override { return stats_; }
  std::size_t memory_bytes() const override { return sizeof(*this); }

 private:
  LshTheoryIndex& index_;
  SearchStats stats_;
};

}  // namespace

LshTheoryIndex::LshTheoryIndex(const LshTheoryOptions& options,
                               const SearchTask& task, const ArmStore& store,
                               Scope scope, std::uint64_t seed)
    : BuiltIndex(task, store, scope),
      options_(options),
      seed_(seed),
      points_(task.objective, store, Factor(task.objective, store.dim())) {}

std::unique_ptr<Finder> LshTheoryIndex::MakeFinder() {
  return std::make_unique<LshTheoryFinder>(*this);
}

void LshTheoryIndex::Insert(std::span<const Slot> slots) {
  if (members().size() > planned_for_) solvers_.clear();
  for (const Slot slot : slots) {
    const PointNumber number = points_.Add(slot);
    try {
      for (AdaptiveSolver& solver : solvers_) solver.Insert(number);
    } catch (const Error&) {
      // Trees for points of this length do not fit into memory. The arm is
      // added nevertheless. The next query, which needs the trees, throws.
      solvers_.clear();
    }
  }
}

void LshTheoryIndex::Erase(Slot slot) {
  for (AdaptiveSolver& solver : solvers_) solver.Erase(points_.number(slot));
  points_.Remove(slot);
}

void LshTheoryIndex::EraseAll() {
  solvers_.clear();
  points_.Clear();
}

void LshTheoryIndex::MakeSolvers(const Query& query) {
  planned_for_ = kRoomToGrow * members().size();
  try {
    AddSolvers(query);
  } catch (...) {
    solvers_.clear();
    throw;
  }
}

void LshTheoryIndex::AddSolvers(const Query& query) {
  const auto dim = static_cast<double>(store().dim());
  if (task().objective == Objective::kQuadraticForm) {
    // Algorithm 2, line 3, where scores are beta^2 |x|^2_{V^-1}.
    const double unit = dim * dim * query.exploration * query.exploration;
    AddSolver({.ratio = kElimRatio,
               .sought = task().sought->score / unit,
               .slack = task().sought->slack / unit},
              options_.delta * task().sought->failure_share, 1);
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

void LshTheoryIndex::AddSolver(const MipsProblem& problem, double failure,
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
std::vector<double> LshTheoryIndex::PaperQuery(const Query& query) const {
  std::vector<float> lifted(points_.table().dim());
  LiftQuery(task().objective, query, lifted);
  double scale = 1 / (query.exploration * query.exploration *
                      static_cast<double>(store().dim()));
  if (task().objective == Objective::kInnerProduct) {
    const double norm = Norm(lifted);
    scale = norm > 0 ? 1 / norm : 0;
  }
  std::vector<double> out(lifted.begin(), lifted.end());
  for (double& value : out) value *= scale;
  return out;
}

LshTheoryIndex::Answer LshTheoryIndex::Ask(AdaptiveSolver& solver,
                                           std::span<const double> query,
                                           SearchStats& stats) {
  const lsh::SolverAnswer answer = solver.Find(query);
  stats.arms_scored += answer.scored;
  stats.directions += answer.directions;
  return answer.point;
}

// Algorithm 4, line 9: the answer of the last solver that has one.
LshTheoryIndex::Answer LshTheoryIndex::LastAnswer(std::span<const double> query,
                                                  SearchStats& stats) {
  Answer last;
  std::size_t low = 0;  // solvers below are taken to have an answer
  std::size_t high = solvers_.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (const Answer answer = Ask(solvers_[middle], query, stats)) {
      last = answer;
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return last;
}

std::optional<Hit> LshTheoryIndex::Best(const Query& query, SearchStats& stats,
                                        Solvers solvers) {
  const bool by_form = task().objective == Objective::kQuadraticForm;
  if (members().size() == 0) return std::nullopt;
  if (by_form && query.exploration == 0) {
    return std::nullopt;  // nothing is uncertain
  }
  const Scorer scorer(task().objective, query);
  const auto lock = Lock();
  if (up_to_date() && (solvers == Solvers::kMade || !solvers_.empty())) {
    if (solvers_.empty()) MakeSolvers(query);
    if (const Answer answer = LastAnswer(PaperQuery(query), stats)) {
      const Slot slot = points_.slot(*answer);
      const MaskedBlock one{.block = BlockOf(slot),
                            .lanes = 1U << LaneOf(slot)};
      return scorer.Best(store().blocks(), {&one, 1});
    }
    if (by_form) return std::nullopt;
  }
  ++stats.scans;
  stats.arms_scored += members().size();
  const Hit best = scorer.Best(store().blocks(), members().arms().blocks());
  if (by_form && best.score < task().sought->score) return std::nullopt;
  return best;
}

std::unique_ptr<Index> SearchKind<LshTheoryOptions>::Make(
    const LshTheoryOptions& options, const SearchTask& task,
    const ArmStore& store, Scope scope, std::uint64_t seed) {
  return std::make_unique<LshTheoryIndex>(options, task, store, scope, seed);
}

}  // namespace manyarms
