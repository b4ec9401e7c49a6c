#ifndef MANYARMS_SERVICE_HTTP_TLS_CONNECTION_H_
#define MANYARMS_SERVICE_HTTP_TLS_CONNECTION_H_

#include <boost/asio/ssl/stream.hpp>
#include <memory>

#include "service/http/connection.h"
#include "service/http/tls_context.h"

namespace manyarms::http {

/// A connection by TLS.
class TlsConnection final : public Connection {
 public:
  TlsConnection(std::shared_ptr<Loop> loop, const Setup& setup, Socket socket,
                std::shared_ptr<TlsContext> context);

 protected:
  void StartHandshake() override;
  void StartRead(boost::asio::mutable_buffer buffer) override;
  void StartWrite(const Buffers& buffers) override;
  void StartGoodbye() override;
  void StartDiscard(boost::asio::mutable_buffer buffer) override;
  std::size_t TryWrite(const Buffers& buffers, Error& error) override;
  bool HasUnread() override;
  void CloseSocket(bool reset) override;

 private:
  std::shared_ptr<TlsConnection> self() {
    return std::static_pointer_cast<TlsConnection>(shared_from_this());
  }

  std::shared_ptr<TlsContext> context_;
  boost::asio::ssl::stream<Socket> stream_;
};

}  // namespace manyarms::http

#endif  // MANYARMS_SERVICE_HTTP_TLS_CONNECTION_H_
