#ifndef MANYARMS_SEARCH_LSH_THEORY_LSH_THEORY_H_
#define MANYARMS_SEARCH_LSH_THEORY_LSH_THEORY_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "lsh/adaptive_solver.h"
#include "search/built_index.h"
#include "search/lifted_points.h"

namespace manyarms {

/// The adaptive solvers of Algorithms 2 and 4, with the paper's parameters.
///
/// By quadratic form (Algorithm 2, line 3): one solver over vec(x x')/d, asked
/// with vec(V^-1)/d. The solver finds an arm with at least a quarter of the
/// sought score, or none.
///
/// By inner product (Algorithm 4, line 3): ceil(d/eta) solvers over the arms,
/// the i-th for r = i eta/d, asked with the unit direction. The last one that
/// has an answer is found by bisection. If none has, all scores are close to 0
/// or below, which the theory rules out; then a scan decides. It also decides
/// while another thread changes the arms.
class LshTheoryIndex final : public BuiltIndex {
 public:
  LshTheoryIndex(const LshTheoryOptions& options, const SearchTask& task,
                 const ArmStore& store, Scope scope, std::uint64_t seed);

  std::unique_ptr<Finder> MakeFinder() override;
  bool answers_are_good_enough() const override { return true; }

  /// Which solvers are asked: if there are none, a scan may answer.
  enum class Solvers : std::uint8_t { kMade, kThatThereAre };

  /// Counts the work in `stats`.
  std::optional<Hit> Best(const Query& query, SearchStats& stats,
                          Solvers solvers);

  std::vector<Slot> BuiltArms() const override { return points_.Slots(); }

 private:
  using Answer = std::optional<lsh::PointNumber>;

  void Insert(std::span<const Slot> slots) override;
  void Erase(Slot slot) override;
  void EraseAll() override;

  void MakeSolvers(const Query& query);
  void AddSolvers(const Query& query);
  void AddSolver(const lsh::MipsProblem& problem, double failure,
                 std::size_t of);
  std::vector<double> PaperQuery(const Query& query) const;
  static Answer Ask(lsh::AdaptiveSolver& solver, std::span<const double> query,
                    SearchStats& stats);
  Answer LastAnswer(std::span<const double> query, SearchStats& stats);

  // Immutable after construction.
  const LshTheoryOptions options_;
  const std::uint64_t seed_;

  // Used under Lock().
  LiftedPoints points_;                       // all of them
  std::vector<lsh::AdaptiveSolver> solvers_;  // none before the first query
  std::size_t planned_for_ = 0;               // points
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_LSH_THEORY_LSH_THEORY_H_
