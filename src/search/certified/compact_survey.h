#ifndef MANYARMS_SEARCH_CERTIFIED_COMPACT_SURVEY_H_
#define MANYARMS_SEARCH_CERTIFIED_COMPACT_SURVEY_H_

#include <atomic>

#include "search/certified/collected.h"
#include "search/certified/survey.h"

namespace manyarms {

/// The pass of a survey over the store's compact copy. Returns false if it is
/// cancelled or given up. REQUIRES: the plan has a coarse radius.
bool ReadCompactCopy(const ArmStore& store, const SurveyPlan& plan,
                     SurveyLocks locks, const std::atomic<bool>& cancelled,
                     Collected& collected);

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CERTIFIED_COMPACT_SURVEY_H_
