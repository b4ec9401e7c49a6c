#include "reproduction/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace manyarms::reproduction {

std::string Grouped(double value) {
  const std::string digits = fmt::format("{:.0f}", std::abs(value));
  std::string grouped = value < 0 && digits != "0" ? "−" : "";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

std::string Significant(double value) {
  if (!std::isfinite(value)) return "–";
  const double size = std::abs(value);
  if (size >= 999.5 || (size < 10 && size == std::round(size))) {
    return Grouped(value);
  }
  // The power of ten after rounding to three digits.
  const std::string scientific = fmt::format("{:.2e}", size);
  const int power = std::stoi(scientific.substr(scientific.find('e') + 1));
  return fmt::format("{}{:.{}f}", value < 0 ? "−" : "", size,
                     std::clamp(2 - power, 0, 9));
}

}  // namespace manyarms::reproduction
