#ifndef MANYARMS_SERVICE_HTTP_TEST_SERVER_H_
#define MANYARMS_SERVICE_HTTP_TEST_SERVER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "becomes.h"
#include "service/http/raw_client.h"
#include "service/http/server.h"

namespace manyarms::http::testing {

inline constexpr std::uint64_t kMostBody = 100'000;

/// Options of servers in tests: any free port, two threads.
inline ServerOptions TestOptions() {
  ServerOptions options;
  options.port = 0;
  options.threads = 2;
  return options;
}

inline std::variant<Admission, Response> AdmitAll(const Head& /*head*/) {
  return Admission{.most_body = kMostBody};
}

/// Answers what was asked: METHOD path?query [length]body.
inline void Echo(Request request, Reply reply) {
  const Head& head = request.head;
  Response response;
  response.content_type = "text/plain";
  response.body = std::to_string(static_cast<int>(head.method)) + ' ' +
                  head.path + '?' + head.query + " [" +
                  std::to_string(request.body.size()) + "]" + request.body;
  reply.Send(std::move(response));
}

using manyarms::testing::Becomes;

}  // namespace manyarms::http::testing

#endif  // MANYARMS_SERVICE_HTTP_TEST_SERVER_H_
