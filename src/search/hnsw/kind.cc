#include "search/hnsw/kind.h"

namespace manyarms {

std::string_view MetricName(HnswOptions::Metric metric) {
  return Choices<HnswOptions::Metric>{kMetrics}.Name(metric);
}

}  // namespace manyarms
