#ifndef MANYARMS_SERVICE_API_ROUTER_H_
#define MANYARMS_SERVICE_API_ROUTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "service/api/tokens.h"
#include "service/http/server.h"

namespace manyarms::service {

class Call;

/// What body a request has.
enum class Body : std::uint8_t {
  kNone,
  kOptionalJson,  ///< missing is as good as {}
  kJson,
  kArms,  ///< JSON, JSON lines or arrays of NumPy
};

/// The threads on which a route is handled.
enum class Threads : std::uint8_t {
  kConnection,  ///< that of the connection: the handler must not wait
  kShort,       ///< those that may wait, http::Pool::kShort
  kLong,        ///< those for what takes long, http::Pool::kLong
};

/// What clients can ask for. Dispatch, roles, metrics, and the tests that
/// compare it with the OpenAPI document come from this.
struct Route {
  http::Method method = http::Method::kGet;
  /// Segments in braces are arguments: /v1/bandits/{bandit}/arms
  std::string_view pattern;
  Role role = Role::kAdmin;
  Body body = Body::kNone;
  Threads threads = Threads::kConnection;
  void (*handle)(const std::shared_ptr<Call>& call) = nullptr;
  bool changes = false;  ///< refused while the store cannot write
  bool always = false;   ///< also while the service starts or stops

  std::string_view method_name() const;
  /// For metrics: POST /v1/bandits/{bandit}/choose
  std::string name() const;
  /// For people: POST choose
  std::string short_name() const;
};

/// All of them.
std::span<const Route> Routes();

struct Match {
  const Route* route = nullptr;  ///< none: there is no such path or method
  /// Its place among Routes().
  std::size_t index = 0;
  /// The path's segments in place of those in braces, decoded.
  std::vector<std::string> arguments;
  /// If the path is known, but not with this method: those that it has.
  std::string allow;
};

/// HEAD is taken for GET. Throws HttpError(400) for a path that cannot be
/// decoded.
Match FindRoute(http::Method method, std::string_view path);

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_ROUTER_H_
