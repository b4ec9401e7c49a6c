#ifndef MANYARMS_SEARCH_SURVEY_H_
#define MANYARMS_SEARCH_SURVEY_H_

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
/// contenders that reach the cutoff at the radius.
struct SurveyPlan {
  Snapshot snapshot;
  float radius;
  float cutoff;
  std::size_t contenders;  ///< about how many will reach it
  /// What it costs, in arms scored by a scan; kNotForSale where too many arms
  /// would be contenders.
  std::uint64_t price;
};
inline constexpr std::uint64_t kNotForSale = ~std::uint64_t{0};

/// What is known when a survey is planned.
struct SurveyOccasion {
  const Query& query;  ///< the last one
  Hit best;            ///< its answer
  double radius;       ///< to expect at least
  double mean_walk;    ///< arms scored by a choice of late
  double spare;        ///< part of the arms to keep beyond those needed
  std::size_t arms;    ///< how many there are
};

/// What the pass of a survey costs, in arms scored by a scan.
std::uint64_t PassPrice(std::size_t arms, std::size_t dim);

/// Looks at a few thousand arms to see how many a choice would have to score
/// under this snapshot. No plan if that is not much better than now.
std::optional<SurveyPlan> PlanSurvey(const ArmStore& store,
                                     std::span<const MaskedBlock> arms,
                                     Snapshot snapshot,
                                     const SurveyOccasion& occasion);

/// One pass over the arms. May run beside the thread that changes the
/// catalogue. Returns none if cancelled, or if far more arms than planned turn
/// out to be contenders.
std::unique_ptr<Order> TakeSurvey(const ArmStore& store,
                                  std::span<const MaskedBlock> arms,
                                  const SurveyPlan& plan,
                                  const std::atomic<bool>& cancelled);

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_SURVEY_H_
