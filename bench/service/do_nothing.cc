// A server that answers the requests of a load test without doing anything: the
// most that a handler behind the service's HTTP server can reach.

#include <fmt/format.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "service/http/server.h"

namespace {

using manyarms::http::Admission;
using manyarms::http::BodySink;
using manyarms::http::Head;
using manyarms::http::Method;
using manyarms::http::Reply;
using manyarms::http::Request;
using manyarms::http::Response;

// As long as what manyarms serve answers.
constexpr std::string_view kChosen =
    R"({"learner":"user-1234","event":null,"repeated":false,)"
    R"("decision":1234567,"arm":"espresso-machine-123456",)"
    R"("score":0.7340256571769714,"eligible":1000000,"uniform":false,)"
    R"("time":1790000000.123456})";
constexpr std::string_view kRewarded = R"({"decision":1234567,"learned":true})";
constexpr std::uint64_t kMostBody = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostArms = std::uint64_t{64} << 30;

class Discard final : public BodySink {
 public:
  std::unique_ptr<Response> Take(std::string_view) override { return nullptr; }
};

std::variant<Admission, Response> Admit(const Head& head) {
  if (head.path.ends_with("/arms")) {
    return Admission{.most_body = kMostArms,
                     .sink = std::make_unique<Discard>()};
  }
  return Admission{.most_body = kMostBody};
}

void Handle(const Request& request, Reply reply) {
  Response response;
  if (request.head.path.ends_with("/choose")) {
    response.body = kChosen;
  } else if (request.head.path.ends_with("/reward")) {
    response.body = kRewarded;
  } else {
    if (request.head.method == Method::kPut) response.status = 201;
    response.body = "{}";
  }
  reply.Send(std::move(response));
}

}  // namespace

int main() {
  manyarms::http::ServerOptions options;
  options.port = 0;
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  // Before there are threads, which then have it blocked, too.
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  manyarms::http::Server server(options, Admit, Handle);
  fmt::print("listening on http://127.0.0.1:{}\n", server.port());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&stop, &signal);
  server.Stop(1);
  return 0;
}
