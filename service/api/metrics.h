#ifndef MANYARMS_SERVICE_API_METRICS_H_
#define MANYARMS_SERVICE_API_METRICS_H_

#include <string>

#include "service/api/core.h"

namespace manyarms::service {

/// What GET /metrics answers.
std::string MetricsText(const Core& core);

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_METRICS_H_
