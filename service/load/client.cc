#include "service/load/client.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <system_error>
#include <utility>

#include "manyarms/error.h"

namespace manyarms::load {
namespace {

[[noreturn]] void Fail(const Endpoint& endpoint, int error) {
  const bool late = error == EAGAIN || error == EWOULDBLOCK;
  throw Error(ErrorCode::kIo,
              fmt::format("no answer from {}: {}", endpoint.Name(),
                          late ? "it takes too long"
                               : std::generic_category().message(error)));
}

void SetTimeout(int fd, double seconds) {
  const double whole = std::floor(seconds);
  const timeval limit{
      .tv_sec = static_cast<time_t>(whole),
      .tv_usec = static_cast<suseconds_t>((seconds - whole) * 1e6)};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

}  // namespace

std::string CommonFields(const Endpoint& endpoint, const std::string& token) {
  std::string fields = fmt::format("Host: {}\r\n", endpoint.Name());
  if (token.empty()) return fields;
  if (!std::ranges::all_of(token, [](char c) { return c > ' ' && c < 127; })) {
    throw Error(ErrorCode::kInvalidArgument,
                "the token has characters that no token has");
  }
  return fields + fmt::format("Authorization: Bearer {}\r\n", token);
}

Client::Client(Endpoint endpoint, std::string token, double timeout_seconds)
    : endpoint_(std::move(endpoint)),
      token_(std::move(token)),
      timeout_seconds_(timeout_seconds) {}

Client::~Client() { Close(); }

void Client::Open() {
  if (fd_ >= 0) return;
  fd_ = Connect(endpoint_);
  SetTimeout(fd_, timeout_seconds_);
}

void Client::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

std::string Client::Head(std::string_view method, const std::string& path,
                         std::string_view content_type,
                         std::uint64_t length) const {
  std::string head = fmt::format("{} {} HTTP/1.1\r\n{}", method, path,
                                 CommonFields(endpoint_, token_));
  if (length > 0) {
    head += fmt::format("Content-Type: {}\r\n", content_type);
  }
  if (length > 0 || method == "POST" || method == "PUT" || method == "PATCH") {
    head += fmt::format("Content-Length: {}\r\n", length);
  }
  return head + "\r\n";
}

// Returns false if the service does not take the bytes; it may have answered.
bool Client::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno == EPIPE || errno == ECONNRESET) return false;
      const int error = errno;
      Close();
      Fail(endpoint_, error);
    }
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

Answer Client::Read() {
  std::array<char, 65536> buffer{};
  while (true) {
    const ssize_t got = recv(fd_, buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      const int error = got == 0 ? ECONNRESET : errno;
      was_closed_ = error == ECONNRESET && !reader_.begun();
      Close();
      Fail(endpoint_, error);
    }
    if (reader_.Take({buffer.data(), static_cast<std::size_t>(got)})) break;
  }
  Answer answer{.status = reader_.status(),
                .body = std::string(reader_.body())};
  if (!reader_.keeps_alive()) Close();
  return answer;
}

Answer Client::Send(std::string_view method, const std::string& path,
                    std::string_view body, std::string_view content_type) {
  const std::string request =
      Head(method, path, content_type, body.size()) + std::string(body);
  const bool kept = fd_ >= 0;
  was_closed_ = false;
  try {
    Open();
    reader_.Reset();
    Write(request);
    return Read();
  } catch (const Error&) {
    Close();
    // A service may close a connection that was idle, and just then.
    if (!kept || !was_closed_) throw;
  }
  Open();
  reader_.Reset();
  Write(request);
  return Read();
}

Answer Client::SendPieces(std::string_view method, const std::string& path,
                          std::string_view content_type, std::uint64_t length,
                          const std::function<std::string_view()>& next) {
  Close();  // so that it need not be sent again
  Open();
  reader_.Reset();
  std::uint64_t left = length;
  bool taken = Write(Head(method, path, content_type, length));
  while (taken && left > 0) {
    const std::string_view piece = next();
    taken = Write(piece);
    left -= std::min<std::uint64_t>(left, piece.size());
  }
  return Read();
}

}  // namespace manyarms::load
