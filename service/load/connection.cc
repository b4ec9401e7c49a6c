#include "service/load/connection.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>

namespace manyarms::load {

Connection::~Connection() {
  if (fd_ >= 0) close(fd_);
}

void Connection::Open(const Endpoint& endpoint, double timeout_seconds) {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
  fd_ = Connect(endpoint);
  // A request fits into the system's buffer unless the service hangs.
  const timeval limit{.tv_sec = static_cast<time_t>(timeout_seconds) + 1,
                      .tv_usec = 0};
  setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

bool Connection::Send(std::string_view head, std::string_view body) {
  std::array<char, 24> digits{};
  const char* end =
      std::to_chars(digits.data(), digits.data() + digits.size(), body.size())
          .ptr;
  request_.assign(head);
  request_.append(static_cast<const char*>(digits.data()), end);
  request_ += "\r\n\r\n";
  request_ += body;
  reader_.Reset();
  std::string_view left = request_;
  while (!left.empty()) {
    const ssize_t sent_bytes =
        send(fd_, left.data(), left.size(), MSG_NOSIGNAL);
    if (sent_bytes < 0 && errno == EINTR) continue;
    if (sent_bytes < 0) return false;
    left.remove_prefix(static_cast<std::size_t>(sent_bytes));
  }
  return true;
}

Connection::Outcome Connection::Receive() {
  std::array<char, 16384> buffer;  // NOLINT: filled by the system
  while (true) {
    const ssize_t got = recv(fd_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return Outcome::kWaiting;
    }
    if (got <= 0) return Outcome::kClosed;
    const auto size = static_cast<std::size_t>(got);
    if (reader_.Take({buffer.data(), size})) return Outcome::kAnswered;
    if (size < buffer.size()) return Outcome::kWaiting;
  }
}

}  // namespace manyarms::load
