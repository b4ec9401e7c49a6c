#ifndef MANYARMS_SEARCH_CERTIFIED_SURVEY_RUN_H_
#define MANYARMS_SEARCH_CERTIFIED_SURVEY_RUN_H_

#include <memory>
#include <vector>

#include "catalogue/members.h"
#include "search/certified/survey.h"

namespace manyarms {

/// How a survey is taken: on a thread of the pool while choices go on, or at
/// once. The arms that change meanwhile are those that changed after epoch().
class SurveyRun {
 public:
  SurveyRun(const ArmStore& store, const Members& members, SurveyPlan plan);

  /// Cancels the survey and waits until it has stopped.
  ~SurveyRun();
  SurveyRun(const SurveyRun&) = delete;
  SurveyRun& operator=(const SurveyRun&) = delete;

  /// False if all threads of the pool are at work: then nothing was begun.
  bool StartAside();
  void RunNow();

  /// Whether it has ended, with an order or without.
  bool ended() const;

  /// REQUIRES for these: it has ended.
  std::unique_ptr<Order> TakeOrder();  ///< none if it was given up
  double seconds() const;

  /// What it holds after it has ended, until its order is taken.
  std::size_t memory_bytes() const;

  /// What had happened to the arms when it began.
  Epoch epoch() const { return epoch_; }

 private:
  struct Work;

  Epoch epoch_;
  std::uint64_t generation_;  // of the process that began it
  std::shared_ptr<Work> work_;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CERTIFIED_SURVEY_RUN_H_
