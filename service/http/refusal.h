#ifndef MANYARMS_SERVICE_HTTP_REFUSAL_H_
#define MANYARMS_SERVICE_HTTP_REFUSAL_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "service/http/server.h"

namespace manyarms::http {

/// Why the server itself does not serve a request.
struct Refusal {
  unsigned status = 400;
  const char* code = "bad_request";
  // g++ warns without it: NOLINTNEXTLINE(readability-redundant-member-init)
  std::string message = {};  ///< the program's own text, in ASCII
};

Refusal BadRequest(std::string message);
Refusal HeadTooLarge(std::size_t most);
Refusal TargetTooLong(std::size_t most);
Refusal BodyTooLarge(std::uint64_t most);
Refusal BodyTooLarge(std::uint64_t size, std::uint64_t most);
Refusal NotImplemented(std::string message);
Refusal TooSlow(const char* what, double seconds);
Refusal TooManyConnections(std::size_t most);
Refusal TooManyBodies(std::uint64_t most);
Refusal Failed();

/// With a body {"error":{"status":413,"code":"too_large","message":"..."}}.
Response ToResponse(const Refusal& refusal);

}  // namespace manyarms::http

#endif  // MANYARMS_SERVICE_HTTP_REFUSAL_H_
