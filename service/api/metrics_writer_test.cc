#include "service/api/metrics_writer.h"

#include <gtest/gtest.h>

#include <string>

namespace manyarms::service {
namespace {

std::string Written(MetricsFormat format) {
  MetricsWriter metrics(format);
  metrics.Family("a", "gauge", "Help.");
  metrics.Sample(1.5);
  metrics.Family("b", "counter", "Help.");
  metrics.Sample(1e6, {{"x", "quote \" slash \\ line \n"}, {"y", ""}});
  metrics.Family("c", "histogram", "Help.");
  metrics.Sample(3, {{"le", "+Inf"}}, "_bucket");
  return metrics.Take();
}

TEST(MetricsWriter, WritesFamiliesAndEscapesLabels) {
  EXPECT_EQ(Written(MetricsFormat::kOpenMetrics),
            "# HELP a Help.\n# TYPE a gauge\na 1.5\n"
            "# HELP b Help.\n# TYPE b counter\n"
            "b_total{x=\"quote \\\" slash \\\\ line \\n\",y=\"\"} 1000000\n"
            "# HELP c Help.\n# TYPE c histogram\nc_bucket{le=\"+Inf\"} 3\n"
            "# EOF\n");
}

TEST(MetricsWriter, DeclaresCountersWithTheirSuffixInTheOlderFormat) {
  EXPECT_EQ(Written(MetricsFormat::kPrometheus),
            "# HELP a Help.\n# TYPE a gauge\na 1.5\n"
            "# HELP b_total Help.\n# TYPE b_total counter\n"
            "b_total{x=\"quote \\\" slash \\\\ line \\n\",y=\"\"} 1000000\n"
            "# HELP c Help.\n# TYPE c histogram\nc_bucket{le=\"+Inf\"} 3\n");
}

TEST(MetricsWriter, OpenMetricsIsForThoseWhoNameIt) {
  for (const char* accept :
       {"", "*/*", "text/plain", "text/plain;version=0.0.4",
        "text/*;q=0.5, application/json",
        "application/openmetrics-text;q=0, text/plain"}) {
    EXPECT_EQ(MetricsFormatFor(accept), MetricsFormat::kPrometheus) << accept;
  }
  for (const char* accept : {"application/openmetrics-text",
                             "Application/OpenMetrics-Text; version=1.0.0",
                             "application/openmetrics-text;version=1.0.0;q=0.5,"
                             "text/plain;version=0.0.4;q=0.3,*/*;q=0.2"}) {
    EXPECT_EQ(MetricsFormatFor(accept), MetricsFormat::kOpenMetrics) << accept;
  }
}

}  // namespace
}  // namespace manyarms::service
