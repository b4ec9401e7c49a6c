#ifndef MANYARMS_SERVICE_API_HTTP_ERROR_H_
#define MANYARMS_SERVICE_API_HTTP_ERROR_H_

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "service/http/server.h"

namespace manyarms::service {

/// A request is answered by this status.
class HttpError : public std::runtime_error {
 public:
  HttpError(unsigned status, const std::string& message,
            std::string reason = {})
      : std::runtime_error(message),
        status_(status),
        reason_(std::move(reason)) {}
  unsigned status() const { return status_; }
  /// What the log says in place of the message, or empty.
  const std::string& reason() const { return reason_; }

 private:
  unsigned status_;
  std::string reason_;
};

// NOLINTBEGIN(readability-redundant-member-init): g++ warns without them.

/// The status and message of any exception. What has no status of its own is
/// 500, and the message says nothing of it. What the database says is for the
/// log alone.
struct Failure {
  unsigned status = 500;
  std::string message;
  std::string reason = {};  ///< for the log, if it is not the message

  const std::string& ForLog() const {
    return reason.empty() ? message : reason;
  }
};

// NOLINTEND(readability-redundant-member-init)

Failure FailureOf(const std::exception_ptr& error);

/// The word for a status of an error, such as not_found.
std::string_view CodeOf(unsigned status);

/// Appends {"status":...,"code":...,"message":...}.
void AppendError(const Failure& failure, std::string& json);

/// With the headers that belong to the status.
http::Response ErrorResponse(const Failure& failure);

/// The text if it is short, otherwise its beginning; whole characters of UTF-8.
std::string Shortened(std::string_view text, std::size_t most = 200);

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_HTTP_ERROR_H_
