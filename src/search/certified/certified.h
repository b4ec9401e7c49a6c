#ifndef MANYARMS_SEARCH_CERTIFIED_H_
#define MANYARMS_SEARCH_CERTIFIED_H_

#include <sys/types.h>

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/arm_set.h"
#include "posterior/posterior.h"
#include "search/certified/order.h"
#include "search/certified/survey.h"
#include "search/search.h"

namespace manyarms {

/// The scan's answer without the scan: arms are walked through in the order of
/// bounds that a snapshot of the posterior gives them. docs/design.md says why
/// that is exact.
///
/// A survey of all arms, which makes a new order, is paid for by the arms that
/// were scored since the last, so that surveys never cost more than choices.
///
/// Invariant: every arm of the set is fresh (in `fresh_` or, while a survey is
/// under way, in `surveyed_`), or a contender or one of the rest in the order
/// in use. Fresh arms are scored by every choice.
class CertifiedSearch final : public Search {
 public:
  /// REQUIRES: the objective is not kQuadraticForm, for which there is
  /// LazyFormSearch.
  CertifiedSearch(bool background, Objective objective, const ArmStore& store,
                  const Posterior& posterior);
  ~CertifiedSearch() override;

  void Add(std::span<const Slot> slots) override;
  void Remove(Slot slot) override;
  void Clear() override;
  std::size_t size() const override { return arms_.size(); }
  std::optional<Hit> Best(const Query& query) override;
  std::vector<Hit> Top(const Query& query, const TopRequest& request) override;
  SearchStats stats() const override { return stats_; }

 private:
  struct Surveyed {
    std::unique_ptr<Order> order;  // none if it was given up
    double seconds = 0;
  };
  struct SurveyInput {
    SurveyPlan plan;
    std::vector<MaskedBlock> arms;
  };

  Hit FindBest(const Query& query);
  Hit BestOf(const ArmSet& arms) const;
  std::vector<Hit> FindTop(const Query& query, const TopRequest& request);
  void CountTop(const Query& query, const std::vector<Hit>& top,
                std::uint64_t scored);
  std::vector<Hit> ScanTop(const TopRequest& request);
  bool MustScan(const Query& query) const;
  void TightenAfterLongWalk(const Query& query);
  void ConsiderSurveyIfRoom(const Query& query, const Hit& worst);

  void Welcome(std::span<const Slot> slots);
  void ConsiderSurvey(const Query& query, const Hit& best);
  void StartSurvey(SurveyPlan plan);
  Surveyed Survey() const;
  void GiveUpSurveyOfParent();
  void FinishSurveyIfReady();
  void FinishSurvey();
  void CancelSurvey();

  // Immutable after construction.
  const bool background_;
  const Objective objective_;
  const ArmStore& store_;
  const Posterior& posterior_;

  Scorer scorer_;  // of the query that is being answered
  ArmSet arms_;
  ArmSet fresh_;
  std::unique_ptr<Order> order_;   // none before the first survey
  std::optional<Snapshot> probe_;  // of the last plan, while there is no order

  // The survey that is under way: what was fresh when it began, who left since.
  ArmSet surveyed_;
  std::vector<Slot> left_since_;
  std::optional<SurveyInput> input_;
  std::atomic<bool> cancelled_ = false;
  std::future<Surveyed> survey_;  // after all that it refers to
  pid_t surveying_process_ = 0;

  // What choices did since a survey was last thought of.
  struct Recent {
    std::uint64_t choices = 0;
    std::uint64_t arms = 0;  // scored
    bool uncertain = false;  // some had to fall back on a scan
  };
  Recent recent_;
  std::uint64_t credit_ = 0;     // arms scored before that, not yet spent
  double spare_ = 0;             // part of the arms that are spare contenders
  std::uint64_t last_walk_ = 0;  // arms scored by the last choice's walk
  SearchStats stats_;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CERTIFIED_H_
