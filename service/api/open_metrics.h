#ifndef MANYARMS_SERVICE_API_OPEN_METRICS_H_
#define MANYARMS_SERVICE_API_OPEN_METRICS_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace manyarms::service {

/// Writes the text format of OpenMetrics.
class OpenMetrics {
 public:
  using Label = std::pair<std::string_view, std::string_view>;
  using Labels = std::initializer_list<Label>;

  static constexpr const char* kContentType =
      "application/openmetrics-text; version=1.0.0; charset=utf-8";

  /// What follows belongs to this family until the next one begins. `type` is
  /// gauge, counter or histogram.
  void Family(std::string_view name, std::string_view type,
              std::string_view help);
  /// A value of the family. Those of a counter get the suffix _total.
  void Sample(double value, Labels labels = {}, std::string_view suffix = {});

  /// With the mark of the end.
  std::string Take();

 private:
  std::string name_;
  bool counter_ = false;
  std::string text_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_OPEN_METRICS_H_
