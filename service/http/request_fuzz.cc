#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "service/http/head_scan.h"
#include "service/http/request_parser.h"

// Reads any bytes as one request: in one piece, and cut in two where the first
// byte says. Both must come to the same end.
namespace manyarms::http {
namespace {

class Collector final : public BodyTaker {
 public:
  bool TakeBody(std::string_view piece) override {
    body_ += piece;
    return true;
  }
  const std::string& body() const { return body_; }

 private:
  std::string body_;
};

constexpr std::size_t kMostHead = 16 * 1024;

// What became of a request: a status, or what was read.
std::string Read(std::string_view text, std::size_t cut) {
  HeadScan scan(kMostHead);
  HeadScan::Found found = scan.Look(text.substr(0, cut));
  if (found == HeadScan::Found::kPart) found = scan.Look(text);
  if (found == HeadScan::Found::kPart) return "part";
  if (found == HeadScan::Found::kFlaw) {
    return std::to_string(scan.refusal().status);
  }
  Collector collector;
  RequestParser parser(collector);
  const auto refusal =
      parser.ReadHead(text.substr(scan.begin(), scan.end() - scan.begin()));
  if (refusal) return std::to_string(refusal->status);
  if (parser.chunked()) parser.LimitBody(kMostHead);
  std::string_view rest = text.substr(scan.end());
  RequestParser::Body body = RequestParser::Body::kPart;
  if (cut > scan.end()) {
    std::string_view first = rest.substr(0, cut - scan.end());
    const std::size_t size = first.size();
    body = parser.ReadBody(first);
    rest.remove_prefix(size - first.size());
  }
  if (body == RequestParser::Body::kPart) body = parser.ReadBody(rest);
  const Head& head = parser.head();
  if (body == RequestParser::Body::kFlaw) {
    return std::to_string(parser.refusal().status);
  }
  return head.path + '\n' + head.query + '\n' + head.authorization + '\n' +
         head.content_type + '\n' + std::to_string(head.content_length) + '\n' +
         (body == RequestParser::Body::kWhole ? "whole\n" : "part\n") +
         collector.body();
}

}  // namespace
}  // namespace manyarms::http

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1,
                              size - 1);
  const std::string whole = manyarms::http::Read(text, 0);
  const std::size_t cut = text.size() * data[0] / 255;
  if (whole != manyarms::http::Read(text, cut)) std::abort();
  return 0;
}
