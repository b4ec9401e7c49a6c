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

/// What a survey has to do: compute the bounds of all arms under the snapshot,
/// and keep as contenders those whose upper bound at the radius reaches the
/// cutoff.
struct SurveyPlan {
  Snapshot snapshot;
  float radius;
  float cutoff;
  std::size_t contenders;       ///< about how many there will be
  std::size_t most_contenders;  ///< beyond this the survey is given up
  /// If there is one, the survey reads the store's compact copy, and computes
  /// finer bounds for those compact blocks only that have an arm whose coarse
  /// bound at this radius reaches the cutoff. Otherwise it reads all arms.
  std::optional<double> coarse_radius;
  std::size_t survivors = 0;  ///< about how many such blocks there are
  /// The cost in arms scored by a scan; none if there would be too many
  /// contenders.
  std::optional<std::uint64_t> price;
};

/// What is known when a survey is planned.
struct SurveyOccasion {
  const Query& query;  ///< the last one
  float threshold;     ///< the score that its answer had
  double radius;       ///< the least to be expected
  double mean_walk;    ///< mean cost of recent choices, in arms scored
  double spare;        ///< part of the arms to keep beyond those needed
  std::size_t arms;    ///< the number of arms
  std::size_t most_contenders;  ///< for which the finder has memory
  bool has_compact_copy;        ///< of just these arms
};

/// What the pass of a survey costs, in arms scored by a scan, if it reads all
/// arms, and the least that it costs if it reads their compact copy.
std::uint64_t PassPrice(std::size_t arms, std::size_t dim);
std::uint64_t CompactPassPrice(std::size_t arms);

/// Estimates from a few thousand arms how many a choice would have to score
/// under this snapshot. Returns none if that does not halve the work of a
/// choice.
std::optional<SurveyPlan> PlanSurvey(const ArmStore& store,
                                     std::span<const MaskedBlock> arms,
                                     Snapshot snapshot,
                                     const SurveyOccasion& occasion);

/// Who keeps the arms from changing while a survey reads them: the survey,
/// which takes the store's lock for a few blocks at a time, or the asker, as
/// during every call of a finder.
enum class SurveyLocks : std::uint8_t { kBySurvey, kByAsker };

class Collected;

/// One pass over the arms. Returns false if it is cancelled, or if there are
/// far more contenders than planned. `arms` are not used if the plan has a
/// coarse radius. REQUIRES: `collected` is empty, and of the same plan.
bool Collect(const ArmStore& store, std::span<const MaskedBlock> arms,
             const SurveyPlan& plan, SurveyLocks locks,
             const std::atomic<bool>& cancelled, Collected& collected);

/// The order of what such a pass collects; none if it returns false.
std::unique_ptr<Order> TakeSurvey(const ArmStore& store,
                                  std::span<const MaskedBlock> arms,
                                  const SurveyPlan& plan, SurveyLocks locks,
                                  const std::atomic<bool>& cancelled);

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CERTIFIED_SURVEY_H_
