#ifndef MANYARMS_SERVICE_HTTP_SERVER_H_
#define MANYARMS_SERVICE_HTTP_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "service/http/body_memory.h"

/// An HTTP/1.1 server. It knows nothing of bandits.
namespace manyarms::http {

enum class Method : std::uint8_t {
  kGet,
  kHead,
  kPost,
  kPut,
  kPatch,
  kDelete,
  kOptions,
  kOther,
};

// NOLINTBEGIN(readability-redundant-member-init): g++ warns without them.
/// What a request says before its body.
struct Head {
  Method method = Method::kGet;
  std::string path;   ///< decoded segment by segment elsewhere; begins with /
  std::string query;  ///< without the question mark, not decoded
  std::string authorization;
  std::string content_type;
  std::string content_encoding = {};
  std::string accept = {};           ///< of several fields, the last one
  std::uint64_t content_length = 0;  ///< 0 if it is not known (chunked)
  bool has_body = false;
  std::string host = {};
  std::string origin = {};
  /// Whether a proxy says that it passes the request on (Forwarded,
  /// X-Forwarded-For, X-Forwarded-Host, X-Real-IP or Via).
  bool forwarded = false;
};

struct Response {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  /// Names and values that the program chose: never text of a client.
  std::vector<std::pair<std::string, std::string>> headers = {};
};
// NOLINTEND(readability-redundant-member-init)

/// Takes a body piece by piece, on the thread of the connection.
class BodySink {
 public:
  virtual ~BodySink() = default;
  /// Returns a response to refuse the rest.
  virtual std::unique_ptr<Response> Take(std::string_view piece) = 0;
};

/// Whether the body of a request is wanted.
struct Admission {
  std::uint64_t most_body = 0;  ///< bytes; beyond it the answer is 413
  /// If there is one, it gets the body, and Request::body stays empty.
  std::unique_ptr<BodySink> sink = nullptr;
  /// Also if most_body_bytes are taken: neither body nor answer is large.
  bool always = false;
};

struct Request {
  Head head;
  std::string body;
  std::unique_ptr<BodySink> sink;  ///< that took the body
  /// What the body takes of ServerOptions::most_body_bytes.
  BodyMemory memory;
};

/// Answers one request, once, from any thread. If it is destroyed without an
/// answer, the answer is 500.
class Reply {
 public:
  class Target;  // a connection
  explicit Reply(std::shared_ptr<Target> target);
  ~Reply();
  Reply(Reply&&) noexcept;
  Reply& operator=(Reply&&) noexcept;

  /// This and the following throw std::logic_error if they are called after
  /// the answer, or in another order.
  void Send(Response response);

  /// Or in pieces, of which the client gets each at once: Begin, any number of
  /// Piece, End. Piece returns false when the client is gone. It waits while
  /// the client does not read (and so must not be called on a thread of the
  /// server; Server::OnWorker is for that).
  void Begin(unsigned status, const std::string& content_type);
  bool Piece(std::string piece);
  void End();

 private:
  std::shared_ptr<Target> target_;
  bool begun_ = false;
};

/// Called on the thread of the connection, so it must not take long. It may
/// keep the reply and answer later. What it throws is answered by 500.
using Handler = std::function<void(Request request, Reply reply)>;

/// Called when the head of a request has been read.
using Admit = std::function<std::variant<Admission, Response>(const Head&)>;

// NOLINTBEGIN(readability-redundant-member-init): g++ warns without them.
struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 7420;     ///< 0: any that is free
  unsigned threads = 0;          ///< 0: as many as there are processors
  std::string certificate = {};  ///< PEM files; if both are given, TLS is used
  std::string key = {};
  std::size_t most_connections = 10'000;
  std::size_t most_head = std::size_t{16} << 10;  ///< bytes of a head
  /// Bytes of all bodies together that are received or wait for their answers,
  /// but for those that sinks take, and of answers that clients have not read.
  /// Beyond it requests are answered by 503.
  std::uint64_t most_body_bytes = std::uint64_t{1} << 30;
  /// A client has this long for a head, for each 64 KiB of a body, and for
  /// reading 64 KiB of an answer; and between two requests.
  double head_seconds = 10;
  double body_seconds = 10;
  double write_seconds = 10;
  double idle_seconds = 60;
};
// NOLINTEND(readability-redundant-member-init)

/// For /metrics.
struct ServerStats {
  std::uint64_t connections = 0;  ///< now
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;    ///< beyond most_connections
  std::uint64_t timed_out = 0;  ///< slow clients
  std::uint64_t malformed = 0;  ///< answered 400, 413, 414 or 431 by the server
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  /// Of most_body_bytes, now. May be more: an answer is not held back.
  std::uint64_t body_bytes = 0;
};

/// Threads that may wait. Those of one pool are not kept busy by the work of
/// the other.
enum class Pool : std::uint8_t {
  kShort,  ///< for work that others wait for
  kLong,   ///< for work that may take seconds or minutes
};

class Server {
 public:
  /// Listens; throws Error(kIo) if it cannot, with the reason.
  Server(const ServerOptions& options, Admit admit, Handler handler);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// The bound port.
  std::uint16_t port() const;

  /// Runs `work` on a thread that may wait. Few such threads exist; work waits
  /// for its turn. Throws Error(kIo) if too much waits.
  void OnWorker(std::function<void()> work, Pool pool = Pool::kShort);

  /// Accepts no more connections, answers the requests that it has, closes
  /// connections that have none, and waits until all are closed or this long.
  void Stop(double seconds);

  /// Reads certificate and key again, for connections from now on. Throws
  /// Error(kIo), and the former ones stay.
  void ReloadCertificate();

  ServerStats stats() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace manyarms::http

#endif  // MANYARMS_SERVICE_HTTP_SERVER_H_
