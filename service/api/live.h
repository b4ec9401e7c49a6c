#ifndef MANYARMS_SERVICE_API_LIVE_H_
#define MANYARMS_SERVICE_API_LIVE_H_

#include <string>

#include "service/api/core.h"
#include "service/api/json_output.h"

namespace manyarms::service {

/// What GET /v1/live answers: all that the page shows.
void WriteLive(const Core& core, JsonOutput& json);

/// Where the data is, without the password that a URL may have.
std::string PlaceOf(const std::string& place);

/// The counts of all routes together.
RouteCounts AllCounts(const Core& core);

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_LIVE_H_
