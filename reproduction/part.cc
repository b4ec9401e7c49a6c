#include "reproduction/part.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "manyarms/error.h"

namespace manyarms::reproduction {
namespace {

// 0 if the text is not a number.
std::size_t Number(std::string_view text) {
  std::size_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? number : 0;
}

}  // namespace

Part ParsePart(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos) {
    const std::string_view view(text);
    const Part part{.number = Number(view.substr(0, slash)),
                    .of = Number(view.substr(slash + 1))};
    if (part.number > 0 && part.number <= part.of) return part;
  }
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("there is no part '{}'; must be two numbers like "
                          "3/100, of which the first is from 1 to the second",
                          text));
}

std::vector<Job> JobsOf(const Part& part, const std::vector<Job>& jobs) {
  std::vector<Job> chosen;
  for (std::size_t i = part.number - 1; i < jobs.size(); i += part.of) {
    chosen.push_back(jobs[i]);
  }
  return chosen;
}

}  // namespace manyarms::reproduction
