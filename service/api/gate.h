#ifndef MANYARMS_SERVICE_API_GATE_H_
#define MANYARMS_SERVICE_API_GATE_H_

#include <string_view>
#include <variant>

#include "service/api/core.h"
#include "service/http/server.h"

namespace manyarms::service {

/// Decides by the head of a request whether it is let in: route, host, token,
/// state of the service, and media type of the body. Refusals are counted.
std::variant<http::Admission, http::Response> AdmitRequest(
    Core& core, const http::Head& head);

/// Answers a request that was let in.
void Dispatch(Core& core, http::Request request, http::Reply reply);

/// Whether it is 127.x.x.x, ::1 or localhost. (A name may lead anywhere, so no
/// others count.)
bool IsLoopback(std::string_view address);

/// Whether a request may come to a service without tokens. A page from
/// somewhere else, which runs in a browser on this machine, could otherwise
/// reach it: through a name that its owner lets point to 127.0.0.1, or by
/// requests that browsers send without asking.
bool IsLocalRequest(std::string_view host, std::string_view origin);

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_GATE_H_
