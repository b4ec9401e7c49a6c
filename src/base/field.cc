#include "base/field.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "manyarms/error.h"

namespace manyarms {
namespace {

std::string WithSeparator(std::string_view name, char separator) {
  std::string text(name);
  std::ranges::replace_if(
      text, [](char c) { return c == '_' || c == '-'; }, separator);
  return text;
}

}  // namespace

std::string FlagName(const About& about) {
  return "--" +
         WithSeparator(about.flag.empty() ? about.name : about.flag, '-');
}

std::string_view RowName(const About& about) {
  return about.row.empty() ? about.name : about.row;
}

std::string Words(const About& about) {
  return WithSeparator(about.flag.empty() ? about.name : about.flag, ' ');
}

void Counts::Check(const std::string& what, std::uint64_t value,
                   std::size_t) const {
  CheckCount(what.c_str(), value, least, most);
}

void Reals::Check(const std::string& what, double value,
                  std::size_t dim) const {
  const double scaled = static_cast<double>(dim) * least_per_feature;
  CheckWithin(what.c_str(), value, std::max(least, scaled), most);
}

void RefuseChoice(const std::string& what) {
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("{} is none of its choices", what));
}

}  // namespace manyarms
