#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "manyarms/error.h"
#include "service/api/arms_body.h"
#include "service/api/http_error.h"
#include "service/api/numbered.h"
#include "service/api/requests.h"
#include "service/engine/limits.h"

namespace manyarms::service {
namespace {

constexpr std::size_t kMostLine = 4 << 20;

class JsonLinesBody : public ArmsBody {
 public:
  explicit JsonLinesBody(ArmsBodyOptions options)
      : options_(std::move(options)) {}

  void Take(std::string_view piece) override {
    while (!piece.empty()) {
      const std::size_t end = piece.find('\n');
      const std::string_view part = piece.substr(0, end);
      if (line_.size() + part.size() > kMostLine) {
        throw HttpError(413, fmt::format("line {} is longer than {} bytes",
                                         number_ + 1, kMostLine));
      }
      if (end == piece.npos) {
        line_ += part;
        return;
      }
      if (line_.empty()) {
        TakeLine(part);
      } else {
        line_ += part;
        TakeLine(line_);
        line_.clear();
      }
      piece.remove_prefix(end + 1);
    }
  }

  void End() override {
    if (!line_.empty()) TakeLine(line_);
    line_.clear();
  }

 private:
  void TakeLine(std::string_view line) {
    ++number_;
    if (line.find_first_not_of(" \t\r") == line.npos) return;
    Numbered("line", number_, [&] {
      if (arms_ == options_.most_arms) {
        throw Refused(Refusal::kTooMany,
                      fmt::format("a bandit may have at most {} arms",
                                  options_.most_arms));
      }
      options_.use(ParseArm(line));
      ++arms_;
    });
  }

  const ArmsBodyOptions options_;
  std::string line_;  // what has come of one
  std::uint64_t number_ = 0;
  std::uint64_t arms_ = 0;
};

}  // namespace

std::unique_ptr<ArmsBody> MakeJsonLinesBody(const ArmsBodyOptions& options) {
  return std::make_unique<JsonLinesBody>(options);
}

}  // namespace manyarms::service
