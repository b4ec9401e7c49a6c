#ifndef MANYARMS_SEARCH_CERTIFIED_SURVEY_RUN_H_
#define MANYARMS_SEARCH_CERTIFIED_SURVEY_RUN_H_

#include <memory>
#include <vector>

#include "catalogue/members.h"
#include "search/certified/survey.h"

namespace manyarms {

/// Takes a survey, either on a thread of the pool while choices continue, or at
/// once. Arms that change meanwhile have changed after epoch().
class SurveyRun {
 public:
  SurveyRun(const ArmStore& store, const Members& members, SurveyPlan plan);

  /// Cancels the survey and waits until it has stopped.
  ~SurveyRun();
  SurveyRun(const SurveyRun&) = delete;
  SurveyRun& operator=(const SurveyRun&) = delete;

  /// Returns false, and begins nothing, if all threads of the pool are at work.
  bool StartAside();
  void RunNow();

  /// Whether the survey has ended, with an order or without.
  bool ended() const;

  /// REQUIRES for the next two: the survey has ended.
  std::unique_ptr<Order> TakeOrder();  ///< none if it was given up
  double seconds() const;

  /// What it holds after it has ended, until its order is taken.
  std::size_t memory_bytes() const;

  /// The epoch of the members when the survey began.
  Epoch epoch() const { return epoch_; }

 private:
  struct Work;

  Epoch epoch_;
  std::uint64_t generation_;  // of the process that began it
  std::shared_ptr<Work> work_;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CERTIFIED_SURVEY_RUN_H_
