#ifndef MANYARMS_SEARCH_CERTIFIED_CERTIFIED_FINDER_H_
#define MANYARMS_SEARCH_CERTIFIED_CERTIFIED_FINDER_H_

#include <memory>
#include <optional>
#include <vector>

#include "search/certified/fresh_arms.h"
#include "search/certified/order.h"
#include "search/certified/survey_budget.h"
#include "search/certified/survey_run.h"
#include "search/first_pass.h"
#include "search/search.h"

namespace manyarms {

/// Finds what a scan finds without scoring all arms: it walks through arms in
/// the order of their upper bounds under a snapshot of the asker's belief.
/// docs/design.md says why that is exact. Without an order, and where it is not
/// enough, a first pass answers, and if that does not pay, a scan.
///
/// Invariant while there is an order: every arm that was a member at epoch
/// `seen_` is fresh, a contender, or one of the rest. Every choice scores all
/// fresh arms.
class CertifiedFinder final : public Finder {
 public:
  struct Limits {
    bool background = true;     ///< surveys run on another thread
    std::size_t max_bytes = 0;  ///< for the order; 0: no limit
    bool first_pass = true;     ///< uses the store's compact copy, if any
    /// Otherwise many askers share the finder, and it keeps no order.
    bool one_asker = true;
  };

  /// REQUIRES: the objective is not kQuadraticForm, for which there is
  /// LazyFormFinder.
  CertifiedFinder(const Index& index, const Limits& limits);

  std::optional<Hit> Best(const Query& query) override;
  std::vector<Hit> Top(const Query& query, const TopRequest& request) override;
  SearchStats stats() const override { return stats_; }
  std::size_t memory_bytes() const override;

 private:
  const ArmSet& arms() const { return index_.members().arms(); }
  Objective objective() const { return index_.task().objective; }

  void TakeQuery(const Query& query);
  bool MayNotUseOrder(const Query& query) const;
  Hit FindBest(const Query& query, bool& certain);
  std::vector<Hit> FindTop(const Query& query, const TopRequest& request);
  Hit BestOfAll(const Query& query, float bar);
  std::vector<Hit> TopOfAll(const Query& query, const TopRequest& request,
                            float bar);
  std::vector<Hit> ScanTop(const TopRequest& request);
  FirstPass::Request PassRequest(const ArmSet* eligible) const;
  void Count(const SearchCost& cost);
  void CountScored(std::uint64_t arms, std::uint64_t blocks);
  std::uint64_t Work() const;
  bool has_compact_copy() const;
  void TightenAfterLongWalk(const Query& query);

  std::uint64_t LeastPassPrice() const;
  void ConsiderSurvey(const Query& query, float threshold);
  void StartSurvey(SurveyPlan plan);
  void FinishSurveyIfEnded();
  std::size_t MostContenders() const;

  void CatchUp();
  void DropOrder();
  std::size_t HeldBytes() const;

  // Immutable after construction.
  const Index& index_;
  const Limits limits_;

  Scorer scorer_;  // of the query that is being answered
  FirstPass first_pass_;
  SurveyBudget budget_;
  std::unique_ptr<SurveyRun> survey_;  // none if none is under way

  std::unique_ptr<Order> order_;  // none before the first survey, or if dropped
  FreshArms fresh_;
  Epoch seen_ = 0;

  std::uint64_t price_ = 0;      // of all answers, in bytes of a scan
  std::uint64_t last_walk_ = 0;  // work of the last choice, in arms scored
  SearchStats stats_;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CERTIFIED_CERTIFIED_FINDER_H_
