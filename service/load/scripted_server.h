#ifndef MANYARMS_SERVICE_LOAD_SCRIPTED_SERVER_H_
#define MANYARMS_SERVICE_LOAD_SCRIPTED_SERVER_H_

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace manyarms::load {

/// Answers requests as a test says: also such as a service never would.
class ScriptedServer {
 public:
  struct Request {
    std::string line;  ///< such as "POST /v1/bandits/x/choose"
    std::string head;
    std::string body;
  };
  /// Returns the answer's text; if it is empty, the connection is closed.
  using Script = std::function<std::string(const Request&)>;

  explicit ScriptedServer(Script script)
      : script_(std::move(script)),
        listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(listener_, plain, size), 0);
    listen(listener_, 1024);
    getsockname(listener_, plain, &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
  }

  ~ScriptedServer() {
    thread_.request_stop();
    thread_.join();
    for (const Peer& peer : peers_) close(peer.fd);
    close(listener_);
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::uint16_t port() const { return port_; }

  static std::string Answer(unsigned status, std::string_view body) {
    return fmt::format("HTTP/1.1 {} X\r\nContent-Length: {}\r\n\r\n{}", status,
                       body.size(), body);
  }

 private:
  struct Peer {
    int fd = -1;
    std::string bytes;
  };

  void Run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::vector<pollfd> waits = {{listener_, POLLIN, 0}};
      for (const Peer& peer : peers_) waits.push_back({peer.fd, POLLIN, 0});
      poll(waits.data(), waits.size(), 10);
      for (std::size_t i = waits.size(); i-- > 1;) {
        if (waits[i].revents != 0 && !Serve(peers_[i - 1])) {
          close(peers_[i - 1].fd);
          peers_.erase(peers_.begin() + static_cast<std::ptrdiff_t>(i) - 1);
        }
      }
      if (waits[0].revents != 0) {
        peers_.push_back({accept(listener_, nullptr, nullptr), ""});
      }
    }
  }

  // Returns whether the connection stays.
  bool Serve(Peer& peer) {
    std::array<char, 65536> buffer{};
    const ssize_t got = recv(peer.fd, buffer.data(), buffer.size(), 0);
    if (got <= 0) return false;
    peer.bytes.append(buffer.data(), static_cast<std::size_t>(got));
    const std::size_t end = peer.bytes.find("\r\n\r\n");
    if (end == std::string::npos) return true;
    Request request;
    request.head = peer.bytes.substr(0, end + 2);
    request.line = request.head.substr(0, request.head.find(" HTTP/1.1"));
    std::size_t length = 0;
    const std::size_t field = request.head.find("Content-Length: ");
    if (field != std::string::npos) {
      length = std::stoul(request.head.substr(field + 16));
    }
    if (peer.bytes.size() < end + 4 + length) return true;
    request.body = peer.bytes.substr(end + 4, length);
    peer.bytes.clear();
    const std::string answer = script_(request);
    if (answer.empty()) return false;
    return send(peer.fd, answer.data(), answer.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(answer.size());
  }

  const Script script_;
  const int listener_;
  std::uint16_t port_ = 0;
  std::vector<Peer> peers_;
  std::jthread thread_;
};

}  // namespace manyarms::load

#endif  // MANYARMS_SERVICE_LOAD_SCRIPTED_SERVER_H_
