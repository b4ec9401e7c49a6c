#include "service/http/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <boost/asio/detail/socket_option.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/socket_base.hpp>

namespace manyarms::http {

// A socket that fails here fails again when it is read, which closes the
// connection. So errors need no attention.

void Prepare(Socket& socket) {
  boost::system::error_code error;
  (void)socket.set_option(boost::asio::ip::tcp::no_delay(true), error);
  (void)socket.non_blocking(true, error);
  // The kernel keeps little that is not yet sent. It would else take megabytes
  // before a slow reader shows, and call the socket writable only when a large
  // part of them has gone.
  using Unsent = boost::asio::detail::socket_option::integer<IPPROTO_TCP,
                                                             TCP_NOTSENT_LOWAT>;
  (void)socket.set_option(Unsent(128 << 10), error);
}

bool HasUnread(Socket& socket) {
  boost::system::error_code error;
  return socket.available(error) > 0 && !error;
}

void CloseSocket(Socket& socket, bool reset) {
  boost::system::error_code error;
  if (reset) {
    (void)socket.set_option(boost::asio::socket_base::linger(true, 0), error);
  }
  (void)socket.close(error);
}

}  // namespace manyarms::http
