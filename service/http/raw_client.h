#ifndef MANYARMS_SERVICE_HTTP_RAW_CLIENT_H_
#define MANYARMS_SERVICE_HTTP_RAW_CLIENT_H_

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace manyarms::http::testing {

struct RawAnswer {
  int status = 0;
  std::string head;  ///< with the status line and the empty line
  std::string body;

  /// The value of a header, or empty.
  std::string Header(const std::string& name) const {
    const std::size_t at = head.find("\r\n" + name + ": ");
    if (at == std::string::npos) return {};
    const std::size_t from = at + name.size() + 4;
    return head.substr(from, head.find("\r\n", from) - from);
  }
};

/// A client that sends whatever bytes a test wants, over 127.0.0.1. It waits at
/// most five seconds for anything.
class RawClient {
 public:
  /// `receive_buffer` bytes in the kernel, if it is not 0.
  explicit RawClient(std::uint16_t port, int receive_buffer = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (socket_ < 0) {
      throw std::runtime_error("socket: " + std::to_string(errno));
    }
    if (receive_buffer > 0) {
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer,
                   sizeof(receive_buffer));
    }
    const int one = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address),
                  sizeof(address)) != 0) {
      const int error = errno;
      ::close(socket_);
      throw std::runtime_error("connect: " + std::to_string(error));
    }
  }
  ~RawClient() {
    if (socket_ >= 0) ::close(socket_);
  }
  RawClient(RawClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)),
        arrived_(std::move(other.arrived_)) {}
  RawClient& operator=(RawClient&&) = delete;

  /// Returns false if the server does not take it.
  bool Send(std::string_view text) {
    while (!text.empty()) {
      if (!Wait(POLLOUT)) return false;
      const ssize_t sent = ::send(socket_, text.data(), text.size(),
                                  MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno == EAGAIN) continue;
      if (sent < 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void EndSending() { ::shutdown(socket_, SHUT_WR); }
  /// So that the server sees an error.
  void Reset() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    ::close(std::exchange(socket_, -1));
  }

  /// The next answer; nothing if the connection ends before it is complete.
  /// `head_only`: the answer to HEAD.
  std::optional<RawAnswer> Read(bool head_only = false) {
    RawAnswer answer;
    std::size_t end;
    while ((end = arrived_.find("\r\n\r\n")) == std::string::npos) {
      if (!Fill()) return std::nullopt;
    }
    answer.head = Cut(end + 4);
    answer.status = std::stoi(answer.head.substr(9, 3));
    if (head_only || answer.status < 200 || answer.status == 204) return answer;
    if (!answer.Header("Transfer-Encoding").empty()) {
      while (ReadChunk(answer.body)) {
      }
      return chunks_complete_ ? std::optional(answer) : std::nullopt;
    }
    if (answer.Header("Content-Length").empty()) {
      answer.body = ReadAll();
      return answer;
    }
    const auto size =
        static_cast<std::size_t>(std::stoll(answer.Header("Content-Length")));
    while (arrived_.size() < size) {
      if (!Fill()) return std::nullopt;
    }
    answer.body = Cut(size);
    return answer;
  }

  /// What comes until the connection ends.
  std::string ReadAll() {
    while (Fill()) {
    }
    return std::exchange(arrived_, {});
  }
  /// Whether the server closes without sending anything more.
  bool Ends() { return ReadAll().empty() && ended_; }

  /// Reads at most this many bytes, once; empty at the end.
  std::string ReadSome(std::size_t most) {
    std::string some(most, '\0');
    if (!Wait(POLLIN)) return {};
    const ssize_t size = ::recv(socket_, some.data(), most, 0);
    some.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return some;
  }
  /// Whether something arrives within this time.
  bool Hears(double seconds) {
    return !arrived_.empty() || Wait(POLLIN, seconds);
  }

  /// Sends and reads the answer.
  std::optional<RawAnswer> Ask(std::string_view text) {
    Send(text);
    return Read();
  }

 private:
  bool Wait(short event, double seconds = 5) {
    pollfd poll{.fd = socket_, .events = event, .revents = 0};
    return ::poll(&poll, 1, static_cast<int>(1000 * seconds)) == 1;
  }

  bool Fill() {
    if (!Wait(POLLIN)) return false;
    std::array<char, 65536> bytes;
    const ssize_t size = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (size <= 0) {
      ended_ = true;
      return false;
    }
    arrived_.append(bytes.data(), static_cast<std::size_t>(size));
    return true;
  }

  bool ReadChunk(std::string& body) {
    chunks_complete_ = false;
    std::size_t line;
    while ((line = arrived_.find("\r\n")) == std::string::npos) {
      if (!Fill()) return false;
    }
    const auto size =
        static_cast<std::size_t>(std::strtoull(arrived_.c_str(), nullptr, 16));
    Cut(line + 2);
    while (arrived_.size() < size + 2) {
      if (!Fill()) return false;
    }
    body += Cut(size);
    Cut(2);
    chunks_complete_ = size == 0;
    return size > 0;
  }

  std::string Cut(std::size_t size) {
    std::string front = arrived_.substr(0, size);
    arrived_.erase(0, size);
    return front;
  }

  int socket_;
  std::string arrived_;
  bool ended_ = false;
  bool chunks_complete_ = false;
};

}  // namespace manyarms::http::testing

#endif  // MANYARMS_SERVICE_HTTP_RAW_CLIENT_H_
