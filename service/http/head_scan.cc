#include "service/http/head_scan.h"

#include <string_view>
#include <utility>

namespace manyarms::http {
namespace {

// The longest method that has a name, the spaces, and the version.
constexpr std::size_t kMostBesideTarget = 64;

}  // namespace

bool HasControl(std::string_view text) {
  bool control = false;  // without a branch, so that it is vectorised
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    control |= (byte < 0x20 && c != '\t') || byte == 0x7f;
  }
  return control;
}

void HeadScan::Restart() {
  begin_ = line_ = next_ = lines_ = 0;
  refusal_ = {};
}

HeadScan::Found HeadScan::Refuse(Refusal refusal) {
  refusal_ = std::move(refusal);
  return Found::kFlaw;
}

HeadScan::Found HeadScan::Bad(const char* message) {
  return Refuse(BadRequest(message));
}

HeadScan::Found HeadScan::Look(std::string_view text) {
  while (next_ < text.size()) {
    const std::size_t feed = text.find('\n', next_);
    const bool complete = feed != std::string_view::npos;
    next_ = complete ? feed + 1 : text.size();
    if (lines_ == 0 && next_ > kMostTarget + kMostBesideTarget) {
      return Refuse(TargetTooLong(kMostTarget));
    }
    if (next_ > most_head_) return Refuse(HeadTooLarge(most_head_));
    if (!complete) break;
    if (feed == line_ || text[feed - 1] != '\r') {
      return Bad("a line of the head does not end with CR and LF");
    }
    const std::string_view line = text.substr(line_, feed - 1 - line_);
    line_ = next_;
    if (line.empty() && lines_ > 0) return Found::kWhole;
    if (line.empty() && begin_ == 0) {
      begin_ = next_;
      continue;
    }
    if (CheckLine(line) == Found::kFlaw) return Found::kFlaw;
    ++lines_;
  }
  return Found::kPart;
}

HeadScan::Found HeadScan::CheckLine(std::string_view line) {
  if (line.empty()) return Bad("the head begins with two empty lines");
  if (line.front() == ' ' || line.front() == '\t') {
    return Bad("a line of the head begins with a space");
  }
  if (HasControl(line)) return Bad("the head has a control character");
  return Found::kPart;
}

}  // namespace manyarms::http
