#ifndef MANYARMS_SERVICE_HTTP_REQUEST_PARSER_H_
#define MANYARMS_SERVICE_HTTP_REQUEST_PARSER_H_

#include <boost/beast/http/basic_parser.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "service/http/refusal.h"
#include "service/http/server.h"

namespace manyarms::http {

/// Gets the body of a request.
class BodyTaker {
 public:
  /// Returns false if no more of it is wanted.
  virtual bool TakeBody(std::string_view piece) = 0;

 protected:
  ~BodyTaker() = default;
};

/// Reads one request. Beast divides the text; what Beast accepts though servers
/// and proxies read it differently is refused here.
class RequestParser final : public boost::beast::http::basic_parser<true> {
 public:
  explicit RequestParser(BodyTaker& taker);

  /// Reads a head, which HeadScan has found.
  std::optional<Refusal> ReadHead(std::string_view text);

  enum class Body : std::uint8_t {
    kPart,     ///< more is needed
    kWhole,    ///< the request is complete
    kStopped,  ///< the taker wants no more
    kFlaw,
  };
  /// Reads what it can of `text`, and takes the read bytes off its front.
  Body ReadBody(std::string_view& text);
  /// After kFlaw.
  const Refusal& refusal() const { return refusal_; }

  /// Sets the most bytes of a body of unknown length.
  void LimitBody(std::uint64_t most);

  Head& head() { return head_; }
  bool http10() const { return http10_; }
  bool expects_continue() const { return expects_continue_; }
  /// What has not arrived of a body of known length.
  std::uint64_t body_left() const;

 protected:
  using Error = boost::system::error_code;
  using Text = boost::beast::string_view;
  using Field = boost::beast::http::field;

  void on_request_impl(boost::beast::http::verb verb, Text method, Text target,
                       int version, Error& error) override;
  void on_response_impl(int code, Text reason, int version,
                        Error& error) override;
  void on_field_impl(Field field, Text name, Text value, Error& error) override;
  void on_header_impl(Error& error) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>& content_length,
                         Error& error) override;
  std::size_t on_body_impl(Text body, Error& error) override;
  void on_chunk_header_impl(std::uint64_t size, Text extensions,
                            Error& error) override;
  std::size_t on_chunk_body_impl(std::uint64_t remaining, Text body,
                                 Error& error) override;
  void on_finish_impl(Error& error) override;

 private:
  void Refuse(Refusal refusal, Error& error);
  void Once(bool& seen, const char* name, Error& error);
  void TakeTarget(std::string_view target, Error& error);
  // Of a target such as http://host/path, and takes it off its front. Returns
  // false if it has none.
  bool TakeAuthority(std::string_view& target);
  void TakeOnce(std::string_view value, std::string& text, bool& seen,
                const char* name, Error& error);
  void TakeHost(std::string_view host, Error& error);
  std::optional<Refusal> CheckFraming() const;

  BodyTaker& taker_;
  Head head_;
  std::string authority_;  // of the target, if that has one
  Refusal refusal_;
  std::uint64_t most_body_ = 0;
  bool refused_ = false;
  bool stopped_ = false;
  bool beside_chunk_ = false;  // what was read last is no part of the body
  bool head_read_ = false;
  bool http10_ = false;
  bool expects_continue_ = false;
  bool only_chunked_ = false;  // of transfer codings
  bool has_host_ = false;
  bool has_length_ = false;
  bool has_coding_ = false;
  bool has_authorization_ = false;
  bool has_content_type_ = false;
  bool has_content_encoding_ = false;
  bool has_origin_ = false;
};

}  // namespace manyarms::http

#endif  // MANYARMS_SERVICE_HTTP_REQUEST_PARSER_H_
