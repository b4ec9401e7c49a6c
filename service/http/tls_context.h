#ifndef MANYARMS_SERVICE_HTTP_TLS_CONTEXT_H_
#define MANYARMS_SERVICE_HTTP_TLS_CONTEXT_H_

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>

namespace manyarms::http {

using TlsContext = boost::asio::ssl::context;

/// Of PEM files. Throws Error(kIo) if they cannot be used, with the reason.
std::shared_ptr<TlsContext> MakeTlsContext(const std::string& certificate,
                                           const std::string& key);

}  // namespace manyarms::http

#endif  // MANYARMS_SERVICE_HTTP_TLS_CONTEXT_H_
