#include "service/http/plain_connection.h"

#include <memory>
#include <utility>

#include "service/http/socket.h"

namespace manyarms::http {

PlainConnection::PlainConnection(std::shared_ptr<Loop> loop, const Setup& setup,
                                 Socket socket)
    : Connection(std::move(loop), setup), socket_(std::move(socket)) {
  Prepare(socket_);
}

void PlainConnection::StartHandshake() { Shaken({}); }

void PlainConnection::StartRead(boost::asio::mutable_buffer buffer) {
  socket_.async_read_some(
      buffer, [self = self()](const Error& error, std::size_t bytes) {
        self->Read(error, bytes);
      });
}

void PlainConnection::StartDiscard(boost::asio::mutable_buffer buffer) {
  StartRead(buffer);
}

void PlainConnection::StartWrite(const Buffers& buffers) {
  socket_.async_write_some(
      buffers, [self = self()](const Error& error, std::size_t bytes) {
        self->Wrote(error, bytes);
      });
}

std::size_t PlainConnection::TryWrite(const Buffers& buffers, Error& error) {
  if (buffers[1].size() > 0) return socket_.write_some(buffers, error);
  return socket_.write_some(buffers[0], error);
}

void PlainConnection::StartGoodbye() {
  Error error;
  (void)socket_.shutdown(Socket::shutdown_send, error);
  SaidGoodbye();
}

bool PlainConnection::HasUnread() { return http::HasUnread(socket_); }

void PlainConnection::CloseSocket(bool reset) {
  http::CloseSocket(socket_, reset);
}

}  // namespace manyarms::http
