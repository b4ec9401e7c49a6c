#ifndef MANYARMS_SERVICE_API_SERVICE_H_
#define MANYARMS_SERVICE_API_SERVICE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "service/engine/engine.h"
#include "service/http/server.h"
#include "service/store/store.h"

namespace manyarms::service {

enum class Durability : std::uint8_t {
  kFull,     ///< every answer waits until the store has what it acknowledges
  kRelaxed,  ///< choices are answered at once
};

// NOLINTBEGIN(readability-redundant-member-init): g++ warns without them.

struct ServiceOptions {
  StoreOptions store;
  EngineOptions engine;
  http::ServerOptions server;
  Durability durability = Durability::kFull;
  /// A file of tokens, a line each: role, space, token. Empty: those of the
  /// environment variable MANYARMS_TOKENS, role:token,role:token; if that is
  /// empty, too, there are none.
  std::string tokens_file = {};
  /// A token with the role admin for what this program does itself. It counts
  /// only if there are others.
  std::string own_token = {};
  std::uint64_t most_body = 16 << 20;  ///< bytes, but for POST arms
  std::uint64_t most_arms_body = std::uint64_t{64} << 30;
  std::size_t most_batch = 1'000;  ///< choices or rewards in one request
  /// For which the choices of one request may ask together: each is some 100
  /// bytes of its answer.
  std::size_t most_batch_decisions = 100'000;
  double slow_seconds = 1;  ///< slower requests are logged
  /// Gets the log, a JSON object a line, without the line's end, from any
  /// thread.
  std::function<void(const std::string&)> log = {};
  /// Called while the store is read: what is read, and the share done.
  std::function<void(const std::string&, double)> progress = {};
};

// NOLINTEND(readability-redundant-member-init)

/// The service: a store, the bandits in it, and an HTTP server in front.
class Service {
 public:
  /// Opens the store, brings back what it has, and listens. Throws
  /// Error(kInvalidArgument) for an address that is not loopback if there are
  /// no tokens, and whatever store and server throw.
  explicit Service(const ServiceOptions& options);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  std::uint16_t port() const;
  Engine& engine();

  /// Reads the tokens again. Throws Error, and the former ones stay.
  void ReloadTokens();

  /// Answers what it has, refuses the rest with 503, and waits for that at most
  /// this long. Everything acknowledged is durable then.
  void Stop(double seconds);

  /// Why the process has to end (the store failed for good), or empty.
  std::string failure() const;
  /// Whether that is because another process has taken over the store.
  bool taken_over() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_SERVICE_H_
