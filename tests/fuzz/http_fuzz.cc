// Bytes of a connection become the same requests, whatever pieces they come in.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "service/http/head_scan.h"
#include "service/http/request_parser.h"
#include "tests/fuzz/check.h"

using namespace manyarms;
using namespace manyarms::http;

namespace {

class Body final : public BodyTaker {
 public:
  bool TakeBody(std::string_view piece) override {
    text += piece;
    return true;
  }
  std::string text;
};

constexpr std::size_t kMostHead = 1024;
constexpr std::uint64_t kMostBody = 4096;

// Reads as a connection does: `arrived` grows by a step, and what was read is
// taken off its front. Returns all requests, and what ended them.
class Reader {
 public:
  std::string Read(std::string_view text, std::size_t step) {
    while (!text.empty()) {
      const std::size_t size = std::min(step, text.size());
      arrived_ += text.substr(0, size);
      text.remove_prefix(size);
      while (Step()) {
      }
      if (over_) break;
    }
    return seen_;
  }

 private:
  bool Step() {
    if (over_ || arrived_.empty()) return false;
    return parser_ ? StepBody() : StepHead();
  }

  bool StepHead() {
    const HeadScan::Found found = scan_.Look(arrived_);
    if (found == HeadScan::Found::kPart) return false;
    if (found == HeadScan::Found::kFlaw) return Refuse(scan_.refusal());
    parser_.emplace(body_);
    const auto refusal = parser_->ReadHead(std::string_view(arrived_).substr(
        scan_.begin(), scan_.end() - scan_.begin()));
    arrived_.erase(0, scan_.end());
    scan_.Restart();
    if (refusal) return Refuse(*refusal);
    const Head& head = parser_->head();
    Check(!head.path.empty());
    seen_ += std::to_string(static_cast<int>(head.method)) + ' ' + head.path +
             '?' + head.query + '\n' + head.content_type + '\n' +
             head.authorization + '\n';
    if (head.content_length > kMostBody) return Refuse({413, "", ""});
    if (parser_->chunked()) parser_->LimitBody(kMostBody);
    if (parser_->is_done()) EndRequest();
    return true;
  }

  bool StepBody() {
    std::string_view rest = arrived_;
    const RequestParser::Body found = parser_->ReadBody(rest);
    arrived_.erase(0, arrived_.size() - rest.size());
    Check(body_.text.size() <= kMostBody);
    if (found == RequestParser::Body::kPart) return false;
    if (found == RequestParser::Body::kFlaw) return Refuse(parser_->refusal());
    Check(found == RequestParser::Body::kWhole);
    EndRequest();
    return true;
  }

  void EndRequest() {
    seen_ += body_.text + '\n';
    body_.text.clear();
    parser_.reset();
  }

  bool Refuse(const Refusal& refusal) {
    Check(refusal.status >= 400 && refusal.status != 500);
    seen_ += "refused\n";
    over_ = true;
    return false;
  }

  std::string arrived_;
  std::string seen_;
  HeadScan scan_{kMostHead};
  Body body_;
  std::optional<RequestParser> parser_;
  bool over_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string whole = Reader().Read(text, std::max<std::size_t>(size, 1));
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}}) {
    Check(Reader().Read(text, step) == whole);
  }
  return 0;
}
