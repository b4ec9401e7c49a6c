#ifndef MANYARMS_SEARCH_CERTIFIED_SURVEY_H_
#define MANYARMS_SEARCH_CERTIFIED_SURVEY_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "catalogue/arm_store.h"
#include "search/certified/order.h"
#include "search/certified/snapshot.h"

namespace manyarms {

/// What a survey is to do: bound the arms under the snapshot and keep those as
/// contenders whose upper bound at the radius reaches the cutoff.
struct SurveyPlan {
  Snapshot snapshot;
  float radius;
  float cutoff;
  std::size_t contenders;       ///< about how many there will be
  std::size_t most_contenders;  ///< beyond this the survey is given up
  /// In arms scored by a scan; none if there would be too many contenders.
  std::optional<std::uint64_t> price;
};

/// What is known when a survey is planned.
struct SurveyOccasion {
  const Query& query;  ///< the last one
  float threshold;     ///< the score that its answer had
  double radius;       ///< to expect at least
  double mean_walk;    ///< arms scored by a choice of late
  double spare;        ///< part of the arms to keep beyond those needed
  std::size_t arms;    ///< how many there are
  std::size_t most_contenders;  ///< that the finder has memory for
};

/// What the pass of a survey costs, in arms scored by a scan.
std::uint64_t PassPrice(std::size_t arms, std::size_t dim);

/// Looks at a few thousand arms to see how many a choice would have to score
/// under this snapshot. No plan if that is not much better than now.
std::optional<SurveyPlan> PlanSurvey(const ArmStore& store,
                                     std::span<const MaskedBlock> arms,
                                     Snapshot snapshot,
                                     const SurveyOccasion& occasion);

/// Who keeps the arms from changing while a survey reads them: the survey,
/// which takes the store's lock for a few blocks at a time, or the one who
/// asked for it, as all who ask a finder do.
enum class SurveyLocks : std::uint8_t { kBySurvey, kByAsker };

/// One pass over the arms. Returns none if cancelled, or if far more arms than
/// planned turn out to be contenders.
std::unique_ptr<Order> TakeSurvey(const ArmStore& store,
                                  std::span<const MaskedBlock> arms,
                                  const SurveyPlan& plan, SurveyLocks locks,
                                  const std::atomic<bool>& cancelled);

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CERTIFIED_SURVEY_H_
