#include "tests/service/hostile/hostile_client.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "tests/service/hostile/answer.h"

namespace manyarms::hostile {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kMostFailures = 10;
// A slow client must be cut off within this time, any other answered.
constexpr seconds kPatience{60};

bool IsSlow(const Script& script) {
  return script.pace == Script::Pace::kSlowly ||
         script.pace == Script::Pace::kDeaf;
}

std::string Printable(const std::string& text) {
  std::string shown;
  for (const char c : text.substr(0, 700)) {
    if (c == '\n') {
      shown += "\\n";
    } else if (c >= ' ' && c < '\x7f') {
      shown += c;
    } else if (c != '\r') {
      char hex[8];
      std::snprintf(hex, sizeof hex, "\\x%02x", static_cast<unsigned char>(c));
      shown += hex;
    }
  }
  return shown;
}

}  // namespace

HostileClient::HostileClient(std::uint16_t port, int epoll, Chance& chance,
                             Tally& tally)
    : port_(port), epoll_(epoll), chance_(chance), tally_(tally) {}

HostileClient::~HostileClient() { Disconnect(true); }

void HostileClient::Play(Script script) {
  script_ = std::move(script);
  ++tally_.kinds[script_.kind];
  ready_ = false;
  sent_ = 0;
  all_sent_ = false;
  received_.clear();
  answers_ = 0;
  first_status_ = 0;
  closes_ = false;
  deadline_ = Clock::now() + kPatience;
  next_byte_ = Clock::now();
  if (socket_ < 0 && !Connect()) {
    Fail("cannot connect: " + std::generic_category().message(errno));
    return;
  }
  Send();
}

bool HostileClient::Connect() {
  socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) return false;
  const int on = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (script_.pace == Script::Pace::kDeaf) {
    const int small = 4096;
    setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  }
  // Many addresses of loopback, because each has only so many ports for
  // connections that were just closed.
  sockaddr_in from{};
  from.sin_family = AF_INET;
  from.sin_addr.s_addr =
      htonl(0x7f000002U + static_cast<std::uint32_t>(chance_.Below(200)));
  setsockopt(socket_, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  if (bind(socket_, reinterpret_cast<sockaddr*>(&from), sizeof from) != 0) {
    return false;
  }
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port_);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) {
    close(socket_);
    socket_ = -1;
    return false;
  }
  epoll_event event{};
  event.events = EPOLLOUT | EPOLLRDHUP | EPOLLET;
  if (script_.pace != Script::Pace::kDeaf) event.events |= EPOLLIN;
  event.data.ptr = this;
  epoll_ctl(epoll_, EPOLL_CTL_ADD, socket_, &event);
  return true;
}

void HostileClient::Disconnect(bool reset) {
  if (socket_ < 0) return;
  if (reset) {
    const linger none{.l_onoff = 1, .l_linger = 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  }
  close(socket_);
  socket_ = -1;
}

void HostileClient::Happened(std::uint32_t events) {
  if (socket_ < 0) return;
  if ((events & EPOLLIN) != 0) Receive();
  if (socket_ >= 0 && !ready_ && (events & EPOLLOUT) != 0) Send();
  const bool deaf = script_.pace == Script::Pace::kDeaf;
  if (socket_ >= 0 && (events & (EPOLLERR | EPOLLHUP)) != 0) Gone();
  if (socket_ >= 0 && deaf && (events & EPOLLRDHUP) != 0) Gone();
}

void HostileClient::Send() {
  while (!all_sent_ && socket_ >= 0) {
    std::size_t length = script_.bytes.size() - sent_;
    if (script_.pace == Script::Pace::kSlowly) {
      if (Clock::now() < next_byte_) return;
      next_byte_ = Clock::now() + milliseconds(100);
      length = std::min<std::size_t>(length, 1);
    } else if (script_.pace == Script::Pace::kInPieces) {
      length = std::min(length, chance_.Below(40) + 1);
    }
    const ssize_t done = send(socket_, script_.bytes.data() + sent_, length,
                              MSG_DONTWAIT | MSG_NOSIGNAL);
    if (done < 0) {
      if (errno == EAGAIN) return;
      // The service has closed; what it said before may still be read.
      Receive();
      if (socket_ >= 0) Gone();
      return;
    }
    sent_ += static_cast<std::size_t>(done);
    if (sent_ == script_.bytes.size()) SentAll();
  }
}

void HostileClient::SentAll() {
  all_sent_ = true;
  if (script_.ending == Script::Ending::kReset) {
    Disconnect(true);
    Done();
  } else if (script_.ending == Script::Ending::kHalfClose && !IsSlow(script_)) {
    shutdown(socket_, SHUT_WR);
  }
}

void HostileClient::Receive() {
  char buffer[1 << 16];
  while (socket_ >= 0) {
    const ssize_t done = recv(socket_, buffer, sizeof buffer, MSG_DONTWAIT);
    if (done < 0 && errno == EAGAIN) return;
    if (done <= 0) {
      Gone();
      return;
    }
    received_.append(buffer, static_cast<std::size_t>(done));
    TakeAnswers();
  }
}

void HostileClient::TakeAnswers() {
  while (!received_.empty()) {
    if (ready_) {
      Fail("bytes that nobody asked for: " + Printable(received_));
      return;
    }
    const Answer answer =
        ReadAnswer(received_, script_.is_head && answers_ == 0);
    if (!answer.flaw.empty()) {
      Fail(answer.flaw + ": " + Printable(received_));
      return;
    }
    if (answer.bytes == 0) return;
    ++tally_.statuses[answer.status];
    if (answers_++ == 0) first_status_ = answer.status;
    closes_ = closes_ || answer.closes;
    received_.erase(0, answer.bytes);
    if (script_.one_answer && all_sent_) {
      Done();
      if (closes_) Disconnect(true);
    }
  }
}

// The service has closed the connection.
void HostileClient::Gone() {
  Disconnect(true);
  if (ready_) return;
  const bool cut =
      !received_.empty() && !IsSlow(script_) && all_sent_ && !script_.refused;
  if (script_.one_answer && answers_ == 0) {
    Fail("the connection was closed without an answer");
  } else if (script_.refused && (answers_ != 1 || first_status_ < 400)) {
    Fail("not refused, but answered " + std::to_string(answers_) +
         " times, first " + std::to_string(first_status_));
  } else if (cut && script_.kind == "valid") {
    Fail("an answer was cut: " + Printable(received_));
  } else {
    Done();
  }
}

void HostileClient::Done() {
  if (answers_ == 0) ++tally_.unanswered;
  ready_ = true;
  received_.clear();
}

void HostileClient::Fail(const std::string& what) {
  ++tally_.failed;
  if (tally_.failures.size() < kMostFailures) {
    tally_.failures.push_back(script_.kind + ": " + what +
                              "; sent: " + Printable(script_.bytes));
  }
  Disconnect(true);
  Done();
}

void HostileClient::Tick(Clock::time_point now) {
  if (ready_) return;
  if (script_.pace == Script::Pace::kSlowly) Send();
  if (now > deadline_ && !ready_) {
    Fail(IsSlow(script_) ? "a slow client was not cut off"
                         : "no answer, and the connection stays open");
  }
}

}  // namespace manyarms::hostile
