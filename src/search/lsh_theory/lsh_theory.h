#ifndef MANYARMS_SEARCH_LSH_THEORY_H_
#define MANYARMS_SEARCH_LSH_THEORY_H_

#include <vector>

#include "kernels/arm_set.h"
#include "lsh/adaptive_solver.h"
#include "search/lifted_points.h"
#include "search/scorer.h"
#include "search/search.h"

namespace manyarms {

/// The adaptive solvers of Algorithms 2 and 4, with the paper's parameters.
///
/// By quadratic form (Algorithm 2, line 3): one solver over vec(x x')/d, asked
/// with vec(V^-1)/d. Finds an arm from a quarter of what is sought on, or none.
///
/// By inner product (Algorithm 4, line 3): ceil(d/eta) solvers over the arms,
/// the i-th for r = i eta/d, asked with the unit direction. The last one that
/// has an answer is found by bisection. If none has, all scores are close to 0
/// or below, which the theory rules out; then a scan decides.
class LshTheorySearch final : public Search {
 public:
  LshTheorySearch(const LshTheoryOptions& options, const SearchTask& task,
                  const ArmStore& store, std::uint64_t seed);

  void Add(std::span<const Slot> slots) override;
  void Remove(Slot slot) override;
  void Clear() override;
  std::size_t size() const override { return arms_.size(); }
  std::optional<Hit> Best(const Query& query) override;
  std::vector<Hit> Top(const Query& query, const TopRequest& request) override;
  SearchStats stats() const override { return stats_; }

 private:
  using Answer = std::optional<lsh::PointNumber>;

  void MakeSolvers(const Query& query);
  void AddSolvers(const Query& query);
  void AddSolver(const lsh::MipsProblem& problem, double failure,
                 std::size_t of);
  std::vector<double> PaperQuery(const Query& query) const;
  Answer Ask(lsh::AdaptiveSolver& solver, std::span<const double> query);
  Answer LastAnswer(std::span<const double> query);
  Hit Score(Slot slot) const;

  // Immutable after construction.
  const LshTheoryOptions options_;
  const SearchTask task_;
  const ArmStore& store_;
  const std::uint64_t seed_;

  ArmSet arms_;
  LiftedPoints points_;  // all of them
  Scorer scorer_;
  std::vector<lsh::AdaptiveSolver> solvers_;  // none before the first query
  std::size_t planned_for_ = 0;               // points
  SearchStats stats_;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_LSH_THEORY_H_
