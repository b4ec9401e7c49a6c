#ifndef MANYARMS_SEARCH_CERTIFIED_SURVEY_BUDGET_H_
#define MANYARMS_SEARCH_CERTIFIED_SURVEY_BUDGET_H_

#include <cstdint>
#include <optional>

#include "search/certified/survey.h"

namespace manyarms {

/// Decides when a survey pays. A survey is paid for with the arms that choices
/// have scored, so that surveys never cost more than choices. It must also be
/// worth its price: at least halve the work of a choice. Whether it is depends
/// on what the belief knows by now, so a new plan is made from time to time:
/// less and less often while plans find that no survey pays, and while orders
/// turn out to be useless.
class SurveyBudget {
 public:
  /// Adds what a choice has cost, in arms scored by a scan. `certain` says that
  /// the order was enough to answer it.
  void Earn(std::uint64_t arms, bool certain);

  /// Whether enough was earned to make a plan. `pass` is the least that a
  /// survey costs.
  bool MayPlan(std::uint64_t pass, std::size_t dim) const;

  struct Situation {
    const ArmStore& store;
    const ArmSet& arms;
    const Query& query;      ///< the last one
    float threshold;         ///< the score that its answer had
    const Snapshot* in_use;  ///< none before the first survey
    std::size_t most_contenders;
    bool has_compact_copy;  ///< of just these arms
  };

  /// A plan that pays and that the budget is enough for, or none. REQUIRES:
  /// MayPlan.
  std::optional<SurveyPlan> Plan(Objective objective,
                                 const Situation& situation);

  /// Whether the order was not enough for most choices since it was made. They
  /// would have cost less without it.
  bool OrderIsUseless() const {
    return with_order_.uncertain > kFewUncertain &&
           2 * with_order_.uncertain > with_order_.count;
  }

  /// The order was dropped because it was useless.
  void DroppedUselessOrder();

  /// The survey of the last plan has begun.
  void Pay() { credit_ = 0; }

  /// A survey has succeeded.
  void Surveyed() {
    probe_.reset();
    with_order_ = {};
    if (surveys_of_all_ > 0) --surveys_of_all_;
  }

  /// A survey was given up, because it met far more arms than the sample had
  /// promised. The next few read all arms.
  void GivenUp();

  std::size_t memory_bytes() const {
    return probe_ ? probe_->memory_bytes() : 0;
  }

 private:
  static constexpr std::uint64_t kFewUncertain = 16;

  // What some choices have done.
  struct Choices {
    std::uint64_t count = 0;
    std::uint64_t arms = 0;       // scored, or as much work
    std::uint64_t uncertain = 0;  // choices for which the order was not enough
  };
  void WaitLonger();

  Choices recent_;                 // since the last plan was made
  std::uint64_t credit_ = 0;       // earned before that, and not spent
  double spare_ = 0;               // part of the arms that are spare contenders
  std::optional<Snapshot> probe_;  // the last plan's, while there is no order
  Choices with_order_;             // since the order was made
  std::uint64_t surveys_of_all_ = 0;  // to come, which read no compact copy
  // A plan waits until this number of times its price was earned.
  std::uint64_t wait_factor_ = 1;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CERTIFIED_SURVEY_BUDGET_H_
