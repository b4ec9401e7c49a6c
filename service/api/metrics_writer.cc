#include "service/api/metrics_writer.h"

#include <fmt/format.h>

#include <algorithm>
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

// Whether a part of Accept, such as "text/plain; q=0.3", names OpenMetrics.
bool NamesOpenMetrics(std::string_view part) {
  std::string plain;
  for (const char c : part) {
    if (c == ' ' || c == '\t') continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  constexpr std::string_view kName = "application/openmetrics-text";
  if (!plain.starts_with(kName)) return false;
  const std::string_view rest = std::string_view(plain).substr(kName.size());
  const bool is_refused = rest.ends_with(";q=0") || rest.ends_with(";q=0.0");
  return (rest.empty() || rest.front() == ';') && !is_refused;
}

}  // namespace

MetricsFormat MetricsFormatFor(std::string_view accept) {
  while (!accept.empty()) {
    const std::size_t end = std::min(accept.find(','), accept.size());
    if (NamesOpenMetrics(accept.substr(0, end))) {
      return MetricsFormat::kOpenMetrics;
    }
    accept.remove_prefix(std::min(end + 1, accept.size()));
  }
  return MetricsFormat::kPrometheus;
}

const char* ContentTypeOf(MetricsFormat format) {
  return format == MetricsFormat::kOpenMetrics
             ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
             : "text/plain; version=0.0.4; charset=utf-8";
}

void MetricsWriter::Family(std::string_view name, std::string_view type,
                           std::string_view help) {
  name_ = name;
  counter_ = type == "counter";
  const bool suffix = counter_ && format_ == MetricsFormat::kPrometheus;
  const std::string declared = name_ + (suffix ? "_total" : "");
  fmt::format_to(std::back_inserter(text_), "# HELP {} {}\n# TYPE {} {}\n",
                 declared, help, declared, type);
}

void MetricsWriter::Sample(double value, Labels labels,
                           std::string_view suffix) {
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

std::string MetricsWriter::Take() {
  if (format_ == MetricsFormat::kOpenMetrics) text_ += "# EOF\n";
  return std::exchange(text_, {});
}

}  // namespace manyarms::service
