#include "service/api/open_metrics.h"

#include <gtest/gtest.h>

#include <limits>

namespace manyarms::service {
namespace {

TEST(OpenMetrics, WritesFamiliesAndEscapesLabels) {
  OpenMetrics metrics;
  metrics.Family("a", "gauge", "Help.");
  metrics.Sample(1.5);
  metrics.Family("b", "counter", "Help.");
  metrics.Sample(1e6, {{"x", "quote \" slash \\ line \n"}, {"y", ""}});
  metrics.Family("c", "histogram", "Help.");
  metrics.Sample(3, {{"le", "+Inf"}}, "_bucket");
  EXPECT_EQ(metrics.Take(),
            "# TYPE a gauge\n# HELP a Help.\na 1.5\n"
            "# TYPE b counter\n# HELP b Help.\n"
            "b_total{x=\"quote \\\" slash \\\\ line \\n\",y=\"\"} 1000000\n"
            "# TYPE c histogram\n# HELP c Help.\nc_bucket{le=\"+Inf\"} 3\n"
            "# EOF\n");
}

}  // namespace
}  // namespace manyarms::service
