#include "service/http/socket.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/socket_base.hpp>

namespace manyarms::http {

// A socket that fails here fails again when it is read, which closes the
// connection. So errors need no attention.

void Prepare(Socket& socket) {
  boost::system::error_code error;
  socket.set_option(boost::asio::ip::tcp::no_delay(true), error);
  socket.non_blocking(true, error);
}

bool HasUnread(Socket& socket) {
  boost::system::error_code error;
  return socket.available(error) > 0 && !error;
}

void CloseSocket(Socket& socket, bool reset) {
  boost::system::error_code error;
  if (reset) {
    socket.set_option(boost::asio::socket_base::linger(true, 0), error);
  }
  socket.close(error);
}

}  // namespace manyarms::http
