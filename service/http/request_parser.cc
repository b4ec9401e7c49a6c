#include "service/http/request_parser.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "service/http/head_scan.h"

namespace manyarms::http {
namespace {

namespace beast = boost::beast;
using beast::http::field;
using beast::http::verb;

// The line before a chunk, or all fields after the last one.
constexpr std::size_t kMostBesideChunk = 4096;

Method MethodOf(verb method) {
  switch (method) {
    case verb::get:
      return Method::kGet;
    case verb::head:
      return Method::kHead;
    case verb::post:
      return Method::kPost;
    case verb::put:
      return Method::kPut;
    case verb::patch:
      return Method::kPatch;
    case verb::delete_:
      return Method::kDelete;
    case verb::options:
      return Method::kOptions;
    default:
      return Method::kOther;
  }
}

bool IsAscii(std::string_view text) {
  return std::ranges::none_of(
      text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

// Beside Forwarded and Via.
bool IsOfProxy(std::string_view field) {
  return beast::iequals(field, "X-Forwarded-For") ||
         beast::iequals(field, "X-Forwarded-Host") ||
         beast::iequals(field, "X-Real-IP");
}

bool IsHostCharacter(char c) {
  constexpr std::string_view kOthers = "-._~%!$&'()*+,;=:[]";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z') || kOthers.find(c) != std::string_view::npos;
}

}  // namespace

RequestParser::RequestParser(BodyTaker& taker) : taker_(taker) {
  // HeadScan has bounded the head, and bodies are bounded when it is known who
  // asks.
  header_limit(std::numeric_limits<std::uint32_t>::max());
  body_limit(boost::none);
}

void RequestParser::Refuse(Refusal refusal, Error& error) {
  refusal_ = std::move(refusal);
  refused_ = true;
  error = beast::http::error::bad_value;
}

std::optional<Refusal> RequestParser::ReadHead(std::string_view text) {
  Error error;
  put(boost::asio::const_buffer(text.data(), text.size()), error);
  if (refused_) return refusal_;
  if (error) return BadRequest("the head is malformed: " + error.message());
  if (!is_header_done()) return BadRequest("the head is malformed");
  const std::optional<Refusal> refusal = CheckFraming();
  if (!refusal && !has_host_) head_.host.swap(authority_);
  return refusal;
}

std::optional<Refusal> RequestParser::CheckFraming() const {
  if (!has_host_ && !http10_) return BadRequest("the head has no Host field");
  // A proxy may have decided by one of them, so they must not differ.
  if (!authority_.empty() && has_host_ &&
      !beast::iequals(authority_, head_.host)) {
    return BadRequest("the target has another host than the Host field");
  }
  if (!has_coding_) return std::nullopt;
  if (has_length_) {
    return BadRequest(
        "the head has both Content-Length and Transfer-Encoding fields");
  }
  if (http10_) {
    return BadRequest("a Transfer-Encoding field needs HTTP/1.1");
  }
  if (!only_chunked_) {
    return NotImplemented("of transfer codings only chunked is understood");
  }
  return std::nullopt;
}

RequestParser::Body RequestParser::ReadBody(std::string_view& text) {
  stopped_ = false;
  while (!is_done()) {
    if (text.empty()) return Body::kPart;
    Error error;
    beside_chunk_ = false;
    const std::size_t read =
        put(boost::asio::const_buffer(text.data(), text.size()), error);
    text.remove_prefix(read);
    if (stopped_) return Body::kStopped;
    const bool more = error == beast::http::error::need_more;
    if ((more && text.size() > kMostBesideChunk) ||
        (beside_chunk_ && read > kMostBesideChunk)) {
      refusal_ = BadRequest("what is beside a chunk has more than " +
                            std::to_string(kMostBesideChunk) + " bytes");
      return Body::kFlaw;
    }
    if (more) return Body::kPart;
    if (error == beast::http::error::body_limit) {
      refusal_ = BodyTooLarge(most_body_);
      return Body::kFlaw;
    }
    if (error) {
      if (!refused_) {
        refusal_ = BadRequest("the body is malformed: " + error.message());
      }
      return Body::kFlaw;
    }
  }
  return Body::kWhole;
}

void RequestParser::LimitBody(std::uint64_t most) {
  most_body_ = most;
  body_limit(most);
}

std::uint64_t RequestParser::body_left() const {
  return content_length_remaining().value_or(0);
}

void RequestParser::on_request_impl(verb verb, Text /*method*/, Text target,
                                    int version, Error& error) {
  head_.method = MethodOf(verb);
  http10_ = version < 11;
  TakeTarget(target, error);
}

void RequestParser::on_response_impl(int /*code*/, Text /*reason*/,
                                     int /*version*/, Error& /*error*/) {}

void RequestParser::TakeTarget(std::string_view target, Error& error) {
  if (target.size() > kMostTarget) {
    return Refuse(TargetTooLong(kMostTarget), error);
  }
  const bool printable = std::ranges::all_of(
      target, [](char c) { return c > 0x20 && c < 0x7f && c != '#'; });
  if (!printable) {
    return Refuse(BadRequest("the target has a character that is not allowed"),
                  error);
  }
  if (target.front() != '/') {
    if (!TakeAuthority(target)) {
      return Refuse(
          BadRequest("the target begins neither with / nor with http://, "
                     "https:// and a host"),
          error);
    }
    if (target.empty() || target.front() != '/') head_.path.push_back('/');
  }
  const std::size_t mark = target.find('?');
  head_.path += target.substr(0, mark);
  if (mark != std::string_view::npos) head_.query = target.substr(mark + 1);
}

bool RequestParser::TakeAuthority(std::string_view& target) {
  const std::size_t colon = target.find("://");
  if (colon == std::string_view::npos) return false;
  const std::string_view scheme = target.substr(0, colon);
  if (!beast::iequals(scheme, "http") && !beast::iequals(scheme, "https")) {
    return false;
  }
  target.remove_prefix(colon + 3);
  authority_ = target.substr(0, target.find_first_of("/?"));
  target.remove_prefix(authority_.size());
  return !authority_.empty() &&
         std::ranges::all_of(authority_, IsHostCharacter);
}

void RequestParser::Once(bool& seen, const char* name, Error& error) {
  if (seen) {
    Refuse(BadRequest(std::string("the head has several fields ") + name),
           error);
  }
  seen = true;
}

void RequestParser::TakeOnce(std::string_view value, std::string& text,
                             bool& seen, const char* name, Error& error) {
  Once(seen, name, error);
  if (error) return;
  if (!IsAscii(value)) {
    return Refuse(BadRequest(std::string("the field ") + name +
                             " has a character beyond ASCII"),
                  error);
  }
  text = value;
}

void RequestParser::TakeHost(std::string_view host, Error& error) {
  Once(has_host_, "Host", error);
  if (error) return;
  if (!std::ranges::all_of(host, IsHostCharacter)) {
    return Refuse(
        BadRequest("the field Host has a character that is not allowed"),
        error);
  }
  head_.host = host;
}

void RequestParser::on_field_impl(Field field, Text name, Text value,
                                  Error& error) {
  if (head_read_) return;  // fields after the last chunk say nothing to us
  switch (field) {
    case field::host:
      return TakeHost(value, error);
    case field::content_length:
      Once(has_length_, "Content-Length", error);
      // Beast takes "5, 5" for 5.
      if (!error && value.find(',') != Text::npos) {
        Refuse(BadRequest("Content-Length is not one number"), error);
      }
      return;
    case field::transfer_encoding:
      Once(has_coding_, "Transfer-Encoding", error);
      only_chunked_ = beast::iequals(value, "chunked");
      return;
    case field::authorization:
      return TakeOnce(value, head_.authorization, has_authorization_,
                      "Authorization", error);
    case field::origin:
      return TakeOnce(value, head_.origin, has_origin_, "Origin", error);
    case field::content_type:
      return TakeOnce(value, head_.content_type, has_content_type_,
                      "Content-Type", error);
    case field::content_encoding:
      return TakeOnce(value, head_.content_encoding, has_content_encoding_,
                      "Content-Encoding", error);
    case field::accept:
      head_.accept = value;
      return;
    case field::expect:
      expects_continue_ = beast::iequals(value, "100-continue");
      return;
    case field::forwarded:
    case field::via:
      head_.forwarded = true;
      return;
    default:
      head_.forwarded = head_.forwarded || IsOfProxy(name);
      return;
  }
}

void RequestParser::on_header_impl(Error& /*error*/) {
  head_read_ = true;
  head_.has_body = only_chunked_ || content_length().value_or(0) > 0;
  head_.content_length = content_length().value_or(0);
}

void RequestParser::on_body_init_impl(
    const boost::optional<std::uint64_t>& /*content_length*/,
    Error& /*error*/) {}

std::size_t RequestParser::on_body_impl(Text body, Error& error) {
  if (!taker_.TakeBody(body)) {
    stopped_ = true;
    error = beast::http::error::bad_value;
  }
  return body.size();
}

void RequestParser::on_chunk_header_impl(std::uint64_t /*size*/,
                                         Text extensions, Error& error) {
  beside_chunk_ = true;
  // Beast takes any character between quotes, and so a line feed.
  if (HasControl(extensions)) {
    Refuse(BadRequest("the extension of a chunk has a control character"),
           error);
  }
}

std::size_t RequestParser::on_chunk_body_impl(std::uint64_t /*remaining*/,
                                              Text body, Error& error) {
  return on_body_impl(body, error);
}

void RequestParser::on_finish_impl(Error& /*error*/) {}

}  // namespace manyarms::http
