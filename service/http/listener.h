#ifndef MANYARMS_SERVICE_HTTP_LISTENER_H_
#define MANYARMS_SERVICE_HTTP_LISTENER_H_

#include <atomic>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "service/http/connection.h"
#include "service/http/loop.h"
#include "service/http/tls_context.h"

namespace manyarms::http {

/// Accepts connections, on the thread of the first loop, and gives each to the
/// loop that has the fewest.
class Listener {
 public:
  /// Binds and listens. Throws Error(kIo) if it cannot. `context` is null
  /// without TLS.
  Listener(const Setup& setup, std::vector<std::shared_ptr<Loop>> loops,
           std::shared_ptr<TlsContext> context);

  std::uint16_t port() const { return port_; }
  std::uint64_t accepted() const { return accepted_.value(); }
  std::uint64_t refused() const { return refused_.value(); }
  std::size_t connections() const;

  /// For connections from now on.
  void SetContext(std::shared_ptr<TlsContext> context);

  void Start();
  /// Returns when no more connections are given to loops.
  void Stop();

 private:
  void Accept();
  void Take();
  void TakeIfPossible();
  std::shared_ptr<Connection> Make(const std::shared_ptr<Loop>& loop,
                                   Socket socket);

  const Setup& setup_;
  const std::vector<std::shared_ptr<Loop>> loops_;
  boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, Executor> acceptor_;
  std::uint16_t port_ = 0;
  std::weak_ptr<char> accepting_;  // lives while one is accepted
  std::shared_ptr<Loop> next_loop_;
  std::optional<Socket> next_;
  Counter accepted_;
  Counter refused_;
  const bool has_tls_;
  std::mutex mutex_;
  std::shared_ptr<TlsContext> context_;  // guarded by mutex_
};

}  // namespace manyarms::http

#endif  // MANYARMS_SERVICE_HTTP_LISTENER_H_
