#ifndef MANYARMS_SEARCH_LSH_LSH_H_
#define MANYARMS_SEARCH_LSH_LSH_H_

#include <functional>
#include <map>
#include <vector>

#include "lsh/band.h"
#include "lsh/meetings.h"
#include "search/built_index.h"
#include "search/lifted_points.h"
#include "search/scorer.h"

namespace manyarms {

/// Filter trees as they work best in practice. These are the differences from
/// the paper:
/// - There is one tree for each range of lengths, not kappa copies for each of
///   many thresholds. The shape of a tree does not depend on the threshold. How
///   far a query descends does, and is looked up for each query.
/// - The threshold is not found by bisection: it is the best score among the
///   last answers, and one pass through the trees looks for an arm that beats
///   it.
/// - A query that would cost more than a scan is left to a scan. Trees are
///   planned and built only when scans have cost as much as that will, so that
///   little is lost with few queries or where trees do not pay.
/// The promise for adaptive queries is given up: a better arm is found with
/// probability `success` over the trees' randomness, but the same arm may be
/// missed again and again while the queries are alike.
class LshIndex final : public BuiltIndex {
 public:
  LshIndex(const LshOptions& options, const SearchTask& task,
           const ArmStore& store, Scope scope, std::uint64_t seed);

  std::unique_ptr<Finder> MakeFinder() override;

  /// What is kept for one asker.
  struct Asker {
    Scorer scorer;              // has taken the query
    std::vector<Slot> winners;  // of its last queries, the newest last
    SearchStats stats;
  };
  std::optional<Hit> Best(const Query& query, Asker& asker);

  /// The same answer. The asker's winners stay as they are, and what scans have
  /// cost so far, which decides about building trees.
  std::optional<Hit> BestWithoutTrace(const Query& query, Asker& asker);

  std::vector<Slot> BuiltArms() const override { return points_.Slots(); }

  std::size_t bytes() const;

 private:
  // How a query looks for points beyond a certain cosine, and what that costs.
  struct Effort {
    float threshold = 0;
    double directions = 0;
    double per_point = 0;
  };
  struct PlannedBand {
    lsh::Band band;               // empty until trees are built
    std::vector<Effort> efforts;  // by the cosine, from 0 to 1
    double insert_cost = 0;       // of a point
    std::size_t points = 0;
  };
  struct LiftedQuery {
    std::vector<float> values;  // with zeros up to the points' stride
    std::vector<float> on_sphere;
    double length = 0;
  };

  static const Effort& EffortFor(const std::vector<Effort>& efforts,
                                 double cosine);
  void Insert(std::span<const Slot> slots) override;
  void Erase(Slot slot) override;
  void EraseAll() override { DropTrees(); }

  LiftedQuery Lift(const Query& query) const;
  Hit Scan(Asker& asker) const;
  Hit ScanAll(Asker& asker);
  double Bar(const Hit& best) const;
  Hit BestKnown(Asker& asker) const;
  double Cost(const LiftedQuery& query, double bar) const;
  Hit Improve(const LiftedQuery& query, Hit best, double bar, Asker& asker);

  bool planned() const { return planned_for_ > 0; }
  bool forced() const { return options_.min_depth > 0; }
  void Plan(const LiftedQuery& query, double best_score);
  PlannedBand PlanBand(lsh::BandNumber number, std::size_t points);
  PlannedBand& BandOf(lsh::PointNumber number);
  double BuildCost() const;
  void Build();
  void PrepareTrees(const LiftedQuery& query, double best_score);
  void DropTrees();

  // Immutable after construction.
  const LshOptions options_;
  const std::uint64_t seed_;

  // Used under Lock().
  LiftedPoints points_;  // all of them, once trees are planned
  std::map<lsh::BandNumber, PlannedBand, std::greater<>> bands_;
  std::size_t planned_for_ = 0;  // points; 0: nothing is planned
  bool built_ = false;
  std::size_t added_ = 0;    // arms, since trees were planned
  double scanned_ = 0;       // arms, since trees were dropped
  double would_save_ = 0;    // what trees would have saved since the plan
  double expected_ = 0;      // <q, p> of a best arm for |q| = 1
  std::vector<double> far_;  // <q, p> / |p| of others
  lsh::Meetings meetings_;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_LSH_LSH_H_
