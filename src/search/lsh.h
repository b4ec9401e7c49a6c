#ifndef MANYARMS_SEARCH_LSH_H_
#define MANYARMS_SEARCH_LSH_H_

#include <functional>
#include <map>
#include <vector>

#include "lsh/band.h"
#include "lsh/meetings.h"
#include "manyarms/search.h"
#include "search/lifted_points.h"
#include "search/scorer.h"

namespace manyarms {

/// Filter trees as they serve best in practice. Against the paper:
/// - One tree for each range of lengths instead of a ladder of thresholds with
///   kappa copies each. A tree's shape does not depend on the threshold; how
///   far a query goes down does, and is looked up for each.
/// - The threshold is not found by bisection: it is the score of the best of
///   the last answers, which one pass through the trees is to beat.
/// - A question that would cost more than a scan is left to a scan.
/// What is given up is the promise against adaptive queries: a better arm is
/// found with probability `success` over the trees' randomness, but the same
/// one may be missed again and again while the queries are alike.
class LshSearch final : public Search {
 public:
  LshSearch(const LshOptions& options, const SearchTask& task,
            const Catalogue& catalogue, std::uint64_t seed);

  void Add(std::span<const Slot> slots) override;
  void Remove(Slot slot) override;
  void Clear() override;
  std::size_t size() const override { return points_.size(); }
  std::optional<Hit> Best(const Query& query) override;
  SearchStats stats() const override { return stats_; }

  std::size_t bytes() const;

 private:
  // What a query costs that must beat a certain cosine.
  struct Effort {
    float threshold = 0;
    double directions = 0;
    double per_point = 0;
  };
  struct Planted {
    lsh::Band band;
    std::vector<Effort> efforts;  // by the cosine, from 0 to 1
  };
  struct LiftedQuery {
    std::vector<float> values;  // with zeros up to the points' stride
    std::vector<float> on_sphere;
    double length = 0;
  };

  LiftedQuery Lift(const Query& query) const;
  bool TreesPay(const LiftedQuery& query, double bar) const;
  Hit ScanAll();
  void Plant(const LiftedQuery& query, double best_score);
  Planted MakeBand(lsh::BandNumber number, std::size_t points);
  void Insert(lsh::PointNumber number);
  const Effort& EffortFor(const Planted& planted, double cosine) const;
  double Cost(const LiftedQuery& query, double bar) const;
  Hit BestKnown();
  Hit Improve(const LiftedQuery& query, Hit best, double bar);
  void Remember(Slot slot);

  // Immutable after construction.
  const LshOptions options_;
  const SearchTask task_;
  const Catalogue& catalogue_;
  const std::uint64_t seed_;

  LiftedPoints points_;
  Scorer scorer_;
  std::map<lsh::BandNumber, Planted, std::greater<>> bands_;
  std::size_t planted_for_ = 0;  // points; 0: not planted
  double expected_ = 0;          // <q, p> of a best arm for |q| = 1
  std::vector<double> far_;      // <q, p> / |p| of others
  std::vector<Slot> winners_;    // of the last queries, the newest last
  lsh::Meetings meetings_;
  SearchStats stats_;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_LSH_H_
