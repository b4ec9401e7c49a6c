#ifndef MANYARMS_SERVICE_API_METRICS_H_
#define MANYARMS_SERVICE_API_METRICS_H_

#include <string>

#include "service/api/core.h"
#include "service/api/metrics_writer.h"

namespace manyarms::service {

/// What GET /metrics answers.
std::string MetricsText(const Core& core, MetricsFormat format);

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_METRICS_H_
