#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "in_a_folder.h"
#include "manyarms/error.h"
#include "service/http/test_server.h"

namespace manyarms::http {
namespace {

using testing::AdmitAll;
using testing::Becomes;
using testing::Echo;
using testing::RawClient;
using testing::TestOptions;

template <class Object, void (*kFree)(Object*)>
struct Free {
  void operator()(Object* object) const { kFree(object); }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509, X509_free>>;
using ClientContext = std::unique_ptr<SSL_CTX, Free<SSL_CTX, SSL_CTX_free>>;
using ClientTls = std::unique_ptr<SSL, Free<SSL, SSL_free>>;

// A certificate that signs itself, for 127.0.0.1, as PEM files.
void WriteCertificate(const std::string& name, const std::string& certificate,
                      const std::string& key) {
  const Key pair(EVP_EC_gen("P-256"));
  const Certificate x509(X509_new());
  ASN1_INTEGER_set(X509_get_serialNumber(x509.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(x509.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(x509.get()), 3600);
  X509_set_pubkey(x509.get(), pair.get());
  X509_NAME* subject = X509_get_subject_name(x509.get());
  X509_NAME_add_entry_by_txt(
      subject, "CN", MBSTRING_ASC,
      reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(x509.get(), subject);
  ASSERT_GT(X509_sign(x509.get(), pair.get(), EVP_sha256()), 0);
  FILE* file = std::fopen(certificate.c_str(), "w");
  PEM_write_X509(file, x509.get());
  std::fclose(file);
  file = std::fopen(key.c_str(), "w");
  PEM_write_PrivateKey(file, pair.get(), nullptr, nullptr, 0, nullptr, nullptr);
  std::fclose(file);
}

/// Speaks TLS, and waits at most five seconds for anything.
class TlsClient {
 public:
  explicit TlsClient(std::uint16_t port, int version = TLS1_3_VERSION)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)),
        context_(SSL_CTX_new(TLS_client_method())) {
    // OpenSSL writes to sockets that the server has closed.
    std::signal(SIGPIPE, SIG_IGN);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval wait{.tv_sec = 5, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
    SSL_CTX_set_security_level(context_.get(), 0);
    SSL_CTX_set_max_proto_version(context_.get(), version);
    tls_.reset(SSL_new(context_.get()));
    SSL_set_fd(tls_.get(), socket_);
    ready_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address),
                       sizeof(address)) == 0 &&
             SSL_connect(tls_.get()) == 1;
  }
  ~TlsClient() { ::close(socket_); }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  bool ready() const { return ready_; }
  std::string Version() const { return SSL_get_version(tls_.get()); }
  std::string ServersName() const {
    const Certificate peer(SSL_get1_peer_certificate(tls_.get()));
    std::array<char, 100> name{};
    X509_NAME_get_text_by_NID(X509_get_subject_name(peer.get()), NID_commonName,
                              name.data(), name.size());
    return name.data();
  }

  bool Send(std::string_view text) {
    return SSL_write(tls_.get(), text.data(), static_cast<int>(text.size())) ==
           static_cast<int>(text.size());
  }
  /// Reads until there is this number of bytes, or the end.
  std::string Read(std::size_t size) {
    std::string text;
    std::array<char, 65536> bytes;
    while (text.size() < size) {
      const int read =
          SSL_read(tls_.get(), bytes.data(), static_cast<int>(bytes.size()));
      if (read <= 0) break;
      text.append(bytes.data(), static_cast<std::size_t>(read));
    }
    return text;
  }
  std::string ReadAll() { return Read(std::string::npos); }
  /// Whether the server said that it sends no more, by TLS.
  bool Ended() const {
    return (SSL_get_shutdown(tls_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
  }

 private:
  int socket_;
  ClientContext context_;
  ClientTls tls_;
  bool ready_ = false;
};

class Tls : public manyarms::testing::InAFolder {
 protected:
  Tls() {
    options_ = TestOptions();
    options_.certificate = (folder_ / "certificate.pem").string();
    options_.key = (folder_ / "key.pem").string();
    WriteCertificate("first", options_.certificate, options_.key);
  }

  ServerOptions options_;
};

std::string Last(std::string_view target = "/last") {
  return fmt::format("GET {} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                     target);
}

bool EndsWith(const std::string& text, const std::string& end) {
  return text.ends_with(end);
}

TEST_F(Tls, ServesRequests) {
  const Server server(options_, AdmitAll, Echo);
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsClient client(server.port(), version);
    ASSERT_TRUE(client.ready());
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(client.Send(
          "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"));
      const std::string answer = client.Read(1);
      EXPECT_EQ(answer.find("HTTP/1.1 200 OK\r\n"), 0);
      EXPECT_TRUE(EndsWith(answer, "\r\n\r\n2 /? [3]abc"));
    }
    ASSERT_TRUE(client.Send(Last()));
    EXPECT_TRUE(EndsWith(client.ReadAll(), "0 /last? [0]"));
    EXPECT_TRUE(client.Ended());
  }
  EXPECT_TRUE(Becomes([&] { return server.stats().connections == 0; }));
}

TEST_F(Tls, CarriesLargeBodiesBothWays) {
  const Server server(
      options_,
      [](const Head&) -> std::variant<Admission, Response> {
        return Admission{.most_body = 10'000'000};
      },
      [](Request request, Reply reply) {
        reply.Send({.body = std::move(request.body)});
      });
  TlsClient client(server.port());
  std::string body;
  for (int i = 0; body.size() < 3'000'000; ++i) body += std::to_string(i);
  // The server reads all before it answers, so that nobody waits for ever.
  ASSERT_TRUE(client.Send(
      "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body));
  const std::string answer = client.ReadAll();
  EXPECT_TRUE(answer.substr(answer.find("\r\n\r\n") + 4) == body);
  EXPECT_TRUE(client.Ended());
}

TEST_F(Tls, StreamsPieces) {
  Server* workers = nullptr;
  Server server(options_, AdmitAll, [&](Request, Reply reply) {
    workers->OnWorker([held = std::make_shared<Reply>(std::move(reply))] {
      held->Begin(200, "text/plain");
      for (int i = 0; i < 1000; ++i) held->Piece(std::string(1000, 'x'));
      held->End();
    });
  });
  workers = &server;
  TlsClient client(server.port());
  ASSERT_TRUE(client.Send(Last()));
  const std::string answer = client.ReadAll();
  EXPECT_GT(answer.size(), 1'000'000);
  EXPECT_TRUE(EndsWith(answer, "\r\n0\r\n\r\n"));
}

TEST_F(Tls, AnswersAnErrorWhileTheClientGoesOn) {
  const Server server(options_, AdmitAll, Echo);
  TlsClient client(server.port());
  ASSERT_TRUE(client.Send(
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"));
  client.Send(std::string(1'000'000, 'b'));
  EXPECT_EQ(client.ReadAll().find("HTTP/1.1 413 "), 0);
}

TEST_F(Tls, RefusesOlderVersions) {
  const Server server(options_, AdmitAll, Echo);
  const TlsClient client(server.port(), TLS1_1_VERSION);
  EXPECT_FALSE(client.ready());
}

TEST_F(Tls, ClosesWhoDoesNotSpeakIt) {
  options_.head_seconds = 0.2;
  const Server server(options_, AdmitAll, Echo);
  RawClient plain(server.port());
  plain.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(plain.ReadAll().find("HTTP"), std::string::npos);
  RawClient silent(server.port());
  EXPECT_TRUE(silent.Ends());
  EXPECT_TRUE(Becomes([&] { return server.stats().connections == 0; }));
  EXPECT_EQ(server.stats().timed_out, 1);
}

TEST_F(Tls, CutsOffSlowHeads) {
  options_.head_seconds = 0.3;
  const Server server(options_, AdmitAll, Echo);
  TlsClient client(server.port());
  ASSERT_TRUE(client.Send("GET / HTTP/1.1\r\n"));
  EXPECT_EQ(client.ReadAll().find("HTTP/1.1 408 "), 0);
  EXPECT_EQ(server.stats().timed_out, 1);
}

TEST_F(Tls, RefusesConnectionsBeyondTheMost) {
  options_.most_connections = 1;
  const Server server(options_, AdmitAll, Echo);
  TlsClient first(server.port());
  ASSERT_TRUE(first.ready());
  TlsClient second(server.port());
  EXPECT_FALSE(second.ready());
  EXPECT_EQ(server.stats().refused, 1);
  ASSERT_TRUE(first.Send(Last()));
  EXPECT_TRUE(EndsWith(first.ReadAll(), "0 /last? [0]"));
}

TEST_F(Tls, StopsGracefully) {
  Server server(options_, AdmitAll, Echo);
  TlsClient client(server.port());
  ASSERT_TRUE(client.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
  ASSERT_FALSE(client.Read(1).empty());
  const auto start = std::chrono::steady_clock::now();
  server.Stop(5);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
  EXPECT_EQ(client.ReadAll(), "");
}

TEST_F(Tls, TakesAnotherCertificate) {
  Server server(options_, AdmitAll, Echo);
  TlsClient before(server.port());
  EXPECT_EQ(before.ServersName(), "first");
  WriteCertificate("second", options_.certificate, options_.key);
  server.ReloadCertificate();
  const TlsClient after(server.port());
  EXPECT_EQ(after.ServersName(), "second");
  std::ofstream(options_.certificate) << "nonsense";
  EXPECT_THROW(server.ReloadCertificate(), Error);
  const TlsClient still(server.port());
  EXPECT_EQ(still.ServersName(), "second");
  ASSERT_TRUE(before.Send(Last()));
  EXPECT_TRUE(EndsWith(before.ReadAll(), "0 /last? [0]"));
}

TEST_F(Tls, RefusesFilesThatDoNotFit) {
  const auto refusal = [&](const ServerOptions& options) -> std::string {
    try {
      const Server server(options, AdmitAll, Echo);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  ServerOptions options = options_;
  options.key = "";
  EXPECT_NE(refusal(options).find("both"), std::string::npos);
  options.key = (folder_ / "missing.pem").string();
  EXPECT_NE(refusal(options).find("missing.pem"), std::string::npos);
  const std::string other = (folder_ / "other.pem").string();
  WriteCertificate("other", (folder_ / "other_certificate.pem").string(),
                   other);
  options.key = other;
  EXPECT_NE(refusal(options).find("other.pem"), std::string::npos);
}

}  // namespace
}  // namespace manyarms::http
