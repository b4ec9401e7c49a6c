#ifndef MANYARMS_SEARCH_LSH_H_
#define MANYARMS_SEARCH_LSH_H_

#include <functional>
#include <map>
#include <vector>

#include "kernels/arm_set.h"
#include "lsh/band.h"
#include "lsh/meetings.h"
#include "search/lifted_points.h"
#include "search/scorer.h"
#include "search/search.h"

namespace manyarms {

/// Filter trees as they serve best in practice. Against the paper:
/// - One tree for each range of lengths instead of a ladder of thresholds with
///   kappa copies each. A tree's shape does not depend on the threshold; how
///   far a query goes down does, and is looked up for each.
/// - The threshold is not found by bisection: it is the score of the best of
///   the last answers, which one pass through the trees is to beat.
/// - A question that would cost more than a scan is left to a scan, and trees
///   are planned and built only when scans have cost as much as that will: with
///   few questions, or where trees don't pay, little is lost on them.
/// What is given up is the promise against adaptive queries: a better arm is
/// found with probability `success` over the trees' randomness, but the same
/// one may be missed again and again while the queries are alike.
class LshSearch final : public Search {
 public:
  LshSearch(const LshOptions& options, const SearchTask& task,
            const ArmStore& store, std::uint64_t seed);

  void Add(std::span<const Slot> slots) override;
  void Remove(Slot slot) override;
  void Clear() override;
  std::size_t size() const override { return arms_.size(); }
  std::optional<Hit> Best(const Query& query) override;
  std::vector<Hit> Top(const Query& query, const TopRequest& request) override;
  SearchStats stats() const override { return stats_; }

  std::size_t bytes() const;

 private:
  // What a query costs that must beat a certain cosine.
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
  LiftedQuery Lift(const Query& query) const;
  Hit ScanAll();
  Hit BestKnown();
  void Remember(Slot slot);
  double Cost(const LiftedQuery& query, double bar) const;
  Hit Improve(const LiftedQuery& query, Hit best, double bar);

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
  const SearchTask task_;
  const ArmStore& store_;
  const std::uint64_t seed_;

  ArmSet arms_;
  LiftedPoints points_;  // all of them, once trees are planned
  Scorer scorer_;
  std::map<lsh::BandNumber, PlannedBand, std::greater<>> bands_;
  std::size_t planned_for_ = 0;  // points; 0: nothing is planned
  bool built_ = false;
  std::size_t added_ = 0;  // arms, since trees were planned
  double scanned_ = 0;     // arms, since trees were dropped
  double would_save_ = 0;  // what trees would have saved since they are planned
  double expected_ = 0;    // <q, p> of a best arm for |q| = 1
  std::vector<double> far_;    // <q, p> / |p| of others
  std::vector<Slot> winners_;  // of the last queries, the newest last
  lsh::Meetings meetings_;
  SearchStats stats_;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_LSH_H_
