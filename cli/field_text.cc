#include "field_text.h"

#include <fmt/format.h>

#include <limits>

namespace manyarms::cli {

// 1e15 and 1e-6, not 1e+15 and 1e-06.
std::string NumberText(double value) {
  std::string text = fmt::format("{:g}", value);
  std::size_t digits = text.find('e');
  if (digits == std::string::npos) return text;
  ++digits;
  if (text[digits] == '+') {
    text.erase(digits, 1);
  } else {
    ++digits;
  }
  while (text[digits] == '0') text.erase(digits, 1);
  return text;
}

std::string ValueText(const Counts&, std::uint64_t value) {
  return fmt::format("{}", value);
}

std::string ValueText(const Reals&, double value) { return NumberText(value); }

std::string ValueText(const Switch&, bool value) {
  return value ? "true" : "false";
}

std::string ValueText(const Explorations& all, const Exploration& value) {
  const double* constant = std::get_if<double>(&value);
  return constant != nullptr ? ValueText(all.constants, *constant) : "theory";
}

std::string DomainText(const Counts& counts) {
  if (counts.most == std::numeric_limits<std::uint64_t>::max()) {
    return fmt::format("{} or more", counts.least);
  }
  return fmt::format("{} to {}", counts.least, counts.most);
}

std::string DomainText(const Reals& reals) {
  const std::string least =
      reals.least_per_feature == 0
          ? NumberText(reals.least)
          : fmt::format("d x {}", NumberText(reals.least_per_feature));
  return fmt::format("{} to {}", least, NumberText(reals.most));
}

std::string DomainText(const Switch&) { return "true, false"; }

std::string DomainText(const Explorations& all) {
  return fmt::format("{}, theory", DomainText(all.constants));
}

}  // namespace manyarms::cli
