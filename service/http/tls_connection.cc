#include "service/http/tls_connection.h"

#include <memory>
#include <utility>

#include "service/http/socket.h"

namespace manyarms::http {

TlsConnection::TlsConnection(std::shared_ptr<Loop> loop, const Setup& setup,
                             Socket socket, std::shared_ptr<TlsContext> context)
    : Connection(std::move(loop), setup),
      context_(std::move(context)),
      stream_(std::move(socket), *context_) {
  Prepare(stream_.next_layer());
}

void TlsConnection::StartHandshake() {
  stream_.async_handshake(
      boost::asio::ssl::stream_base::server,
      [self = self()](const Error& error) { self->Shaken(error); });
}

void TlsConnection::StartRead(boost::asio::mutable_buffer buffer) {
  stream_.async_read_some(
      buffer, [self = self()](const Error& error, std::size_t bytes) {
        self->Read(error, bytes);
      });
}

void TlsConnection::StartWrite(const Buffers& buffers) {
  // One buffer makes one record.
  const auto& buffer = buffers[0].size() > 0 ? buffers[0] : buffers[1];
  stream_.async_write_some(
      buffer, [self = self()](const Error& error, std::size_t bytes) {
        self->Wrote(error, bytes);
      });
}

std::size_t TlsConnection::TryWrite(const Buffers& /*buffers*/, Error& error) {
  error = boost::asio::error::would_block;
  return 0;
}

void TlsConnection::StartGoodbye() {
  stream_.async_shutdown([self = self()](const Error& /*error*/) {
    // The client has said goodbye, too, or sends what nobody wants.
    Error ignored;
    (void)self->stream_.next_layer().shutdown(Socket::shutdown_send, ignored);
    self->SaidGoodbye();
  });
}

void TlsConnection::StartDiscard(boost::asio::mutable_buffer buffer) {
  stream_.next_layer().async_read_some(
      buffer, [self = self()](const Error& error, std::size_t bytes) {
        self->Read(error, bytes);
      });
}

bool TlsConnection::HasUnread() {
  return SSL_pending(stream_.native_handle()) > 0 ||
         http::HasUnread(stream_.next_layer());
}

void TlsConnection::CloseSocket(bool reset) {
  http::CloseSocket(stream_.next_layer(), reset);
}

}  // namespace manyarms::http
