#include "service/http/tls_context.h"

#include <memory>
#include <string>

#include "manyarms/error.h"

namespace manyarms::http {
namespace {

void Check(const boost::system::error_code& error, const std::string& what) {
  if (error) {
    throw Error(ErrorCode::kIo, what + ": " + error.message());
  }
}

}  // namespace

std::shared_ptr<TlsContext> MakeTlsContext(const std::string& certificate,
                                           const std::string& key) {
  auto context = std::make_shared<TlsContext>(TlsContext::tls_server);
  boost::system::error_code error;
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  // A client could let the server compute for nothing.
  SSL_CTX_set_options(context->native_handle(),
                      SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // Memory of idle connections.
  SSL_CTX_set_mode(context->native_handle(), SSL_MODE_RELEASE_BUFFERS);
  // A key that wants a password must not make the program ask for it.
  (void)context->set_password_callback(
      [](std::size_t, TlsContext::password_purpose) { return std::string(); },
      error);
  Check(error, "TLS");
  (void)context->use_certificate_chain_file(certificate, error);
  Check(error, "certificate " + certificate);
  (void)context->use_private_key_file(key, TlsContext::pem, error);
  Check(error, "key " + key);
  if (SSL_CTX_check_private_key(context->native_handle()) != 1) {
    throw Error(
        ErrorCode::kIo,
        "key " + key + " does not belong to certificate " + certificate);
  }
  return context;
}

}  // namespace manyarms::http
