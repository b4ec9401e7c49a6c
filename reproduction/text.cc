#include "reproduction/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace manyarms::reproduction {

std::string Grouped(double value) {
  const std::string digits = fmt::format("{:.0f}", std::abs(value));
  std::string grouped = value <= -0.5 ? "−" : "";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

std::string Significant(double value) {
  if (!std::isfinite(value)) return "–";
  if (std::abs(value) >= 999.5) return Grouped(value);
  if (value == std::round(value) && std::abs(value) < 10) {
    return Grouped(value);
  }
  const int digits = static_cast<int>(std::floor(std::log10(std::abs(value))));
  return fmt::format("{:.{}f}", value, std::clamp(2 - digits, 0, 9));
}

}  // namespace manyarms::reproduction
