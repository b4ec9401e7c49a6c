#ifndef MANYARMS_SERVICE_API_METRICS_WRITER_H_
#define MANYARMS_SERVICE_API_METRICS_WRITER_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace manyarms::service {

enum class MetricsFormat : std::uint8_t {
  kPrometheus,   ///< the text format 0.0.4
  kOpenMetrics,  ///< the text format of OpenMetrics 1.0.0
};

/// OpenMetrics for those who ask for it by name, as Prometheus does, and the
/// older format, which all tools read, for all others. `accept` is the header
/// of that name.
MetricsFormat MetricsFormatFor(std::string_view accept);

const char* ContentTypeOf(MetricsFormat format);

/// Writes the text of metrics.
class MetricsWriter {
 public:
  using Label = std::pair<std::string_view, std::string_view>;
  using Labels = std::initializer_list<Label>;

  explicit MetricsWriter(MetricsFormat format) : format_(format) {}

  /// What follows belongs to this family until the next one begins. `type` is
  /// gauge, counter or histogram.
  void Family(std::string_view name, std::string_view type,
              std::string_view help);
  /// A value of the family. Those of a counter get the suffix _total.
  void Sample(double value, Labels labels = {}, std::string_view suffix = {});

  std::string Take();

 private:
  MetricsFormat format_;
  std::string name_;
  bool counter_ = false;
  std::string text_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_METRICS_WRITER_H_
