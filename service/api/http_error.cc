#include "service/api/http_error.h"

#include <algorithm>
#include <array>
#include <new>

#include "base/utf8.h"
#include "log/json_text.h"
#include "manyarms/error.h"
#include "service/engine/limits.h"
#include "service/sql/database.h"

namespace manyarms::service {
namespace {

constexpr std::size_t kMostMessage = 1000;

struct Named {
  unsigned status;
  std::string_view code;
};
constexpr std::array kCodes{Named{400, "bad_request"},
                            Named{401, "unauthorized"},
                            Named{403, "forbidden"},
                            Named{404, "not_found"},
                            Named{405, "method_not_allowed"},
                            Named{408, "timeout"},
                            Named{409, "conflict"},
                            Named{413, "too_large"},
                            Named{415, "unsupported_media_type"},
                            Named{422, "invalid"},
                            Named{429, "too_many"},
                            Named{500, "internal"},
                            Named{503, "unavailable"}};

unsigned StatusOf(Refusal refusal) {
  switch (refusal) {
    case Refusal::kNotFound:
      return 404;
    case Refusal::kConflict:
      return 409;
    case Refusal::kTooMany:
      return 429;
    case Refusal::kUnavailable:
      return 503;
  }
  return 500;
}

unsigned StatusOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kCorrupt:
      return 400;
    case ErrorCode::kUnknownId:
      return 404;
    case ErrorCode::kOutdated:
      return 409;
    case ErrorCode::kTooLarge:
      return 413;
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kDuplicateId:
    case ErrorCode::kNoArms:
    case ErrorCode::kUnsupported:
      return 422;
    case ErrorCode::kIo:
      return 503;
    case ErrorCode::kWrongAnswer:
      return 500;
  }
  return 500;
}

}  // namespace

Failure FailureOf(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const HttpError& known) {
    return {known.status(), known.what(), known.reason()};
  } catch (const Refused& known) {
    return {StatusOf(known.why()), known.what(), known.reason()};
  } catch (const sql::Failure& failure) {
    return {503,
            "the store cannot be used now; the log of the service says why",
            failure.what()};
  } catch (const Error& known) {
    return {StatusOf(known.code()), known.what()};
  } catch (const std::bad_alloc&) {
    return {503, "there is not enough memory"};
  } catch (...) {
    return {500, "an error of the program"};
  }
}

std::string_view CodeOf(unsigned status) {
  const auto* const found = std::ranges::find(kCodes, status, &Named::status);
  return found == kCodes.end() ? "internal" : found->code;
}

std::string Shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most && Utf8PrefixLength(text) == text.size()) {
    return std::string(text);
  }
  text = text.substr(0, most);
  return std::string(text.substr(0, Utf8PrefixLength(text))) + "...";
}

void AppendError(const Failure& failure, std::string& json) {
  json += R"({"status":)";
  AppendJson(std::uint64_t{failure.status}, json);
  json += R"(,"code":)";
  AppendJson(CodeOf(failure.status), json);
  json += R"(,"message":)";
  AppendJson(std::string_view(Shortened(failure.message, kMostMessage)), json);
  json += '}';
}

http::Response ErrorResponse(const Failure& failure) {
  http::Response response{.status = failure.status};
  response.body = R"({"error":)";
  AppendError(failure, response.body);
  response.body += '}';
  if (failure.status == 401) {
    response.headers.emplace_back("WWW-Authenticate", "Bearer");
  } else if (failure.status == 503) {
    response.headers.emplace_back("Retry-After", "1");
  }
  return response;
}

}  // namespace manyarms::service
