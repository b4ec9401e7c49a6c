#ifndef MANYARMS_SERVICE_HTTP_SOCKET_H_
#define MANYARMS_SERVICE_HTTP_SOCKET_H_

#include "service/http/loop.h"

namespace manyarms::http {

/// Small answers go out at once, and writing never waits.
void Prepare(Socket& socket);
bool HasUnread(Socket& socket);
/// If `reset`, the peer sees an error, not an end.
void CloseSocket(Socket& socket, bool reset);

}  // namespace manyarms::http

#endif  // MANYARMS_SERVICE_HTTP_SOCKET_H_
