#include "service/api/open_metrics.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace manyarms::service {
namespace {

void AppendEscaped(std::string_view value, std::string& text) {
  for (const char c : value) {
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
}

void AppendNumber(double value, std::string& text) {
  constexpr double kExact = 9e15;
  if (std::trunc(value) == value && std::abs(value) < kExact) {
    fmt::format_to(std::back_inserter(text), "{}",
                   static_cast<long long>(value));
  } else {
    fmt::format_to(std::back_inserter(text), "{}", value);
  }
}

}  // namespace

void OpenMetrics::Family(std::string_view name, std::string_view type,
                         std::string_view help) {
  name_ = name;
  counter_ = type == "counter";
  fmt::format_to(std::back_inserter(text_), "# TYPE {} {}\n# HELP {} {}\n",
                 name, type, name, help);
}

void OpenMetrics::Sample(double value, Labels labels, std::string_view suffix) {
  text_ += name_;
  text_ += counter_ ? "_total" : suffix;
  char separator = '{';
  for (const auto& [name, label] : labels) {
    text_ += separator;
    text_ += name;
    text_ += "=\"";
    AppendEscaped(label, text_);
    text_ += '"';
    separator = ',';
  }
  if (labels.size() > 0) text_ += '}';
  text_ += ' ';
  AppendNumber(value, text_);
  text_ += '\n';
}

std::string OpenMetrics::Take() {
  text_ += "# EOF\n";
  return std::exchange(text_, {});
}

}  // namespace manyarms::service
