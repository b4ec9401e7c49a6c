#include "service/load/endpoint.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <system_error>

#include "manyarms/error.h"

namespace manyarms::load {
namespace {

[[noreturn]] void Refuse(std::string_view url, const std::string& why) {
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("the URL is \"{}\", {}", url, why));
}

bool IsLoopback(const std::string& host) {
  in_addr four{};
  if (inet_pton(AF_INET, host.c_str(), &four) == 1) {
    return (ntohl(four.s_addr) >> 24) == 127;
  }
  in6_addr six{};
  return inet_pton(AF_INET6, host.c_str(), &six) == 1 &&
         IN6_IS_ADDR_LOOPBACK(&six);
}

std::uint16_t ParsePort(std::string_view url, std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) {
    Refuse(url, "its port must be between 1 and 65535");
  }
  return port;
}

}  // namespace

std::string Endpoint::Name() const {
  return host.find(':') == std::string::npos
             ? fmt::format("{}:{}", host, port)
             : fmt::format("[{}]:{}", host, port);
}

Endpoint ParseUrl(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  if (url.starts_with("https://")) {
    Refuse(url, "a load test speaks HTTP without TLS");
  }
  if (!url.starts_with(kScheme)) {
    Refuse(url, "must be like http://127.0.0.1:7420");
  }
  std::string_view rest = url.substr(kScheme.size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find_first_of("/?#@") != std::string_view::npos) {
    Refuse(url, "must be like http://127.0.0.1:7420");
  }
  Endpoint endpoint;
  std::string_view host = rest;
  const std::size_t colon = rest.rfind(':');
  const std::size_t bracket = rest.rfind(']');
  if (colon != std::string_view::npos &&
      (bracket == std::string_view::npos || colon > bracket)) {
    host = rest.substr(0, colon);
    endpoint.port = ParsePort(url, rest.substr(colon + 1));
  } else {
    endpoint.port = 80;
  }
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  endpoint.host = host == "localhost" ? "127.0.0.1" : std::string(host);
  if (!IsLoopback(endpoint.host)) {
    Refuse(url,
           "which is not this machine: only 127.0.0.0/8, [::1] and localhost "
           "are tested, because a load test takes a service away from "
           "everybody else");
  }
  return endpoint;
}

std::string HostToConnectTo(const std::string& address) {
  in_addr four{};
  if (address == "localhost" ||
      (inet_pton(AF_INET, address.c_str(), &four) == 1 &&
       four.s_addr == htonl(INADDR_ANY))) {
    return "127.0.0.1";
  }
  in6_addr six{};
  const bool is_any = inet_pton(AF_INET6, address.c_str(), &six) == 1 &&
                      IN6_IS_ADDR_UNSPECIFIED(&six);
  return is_any ? "::1" : address;
}

int Connect(const Endpoint& endpoint) {
  sockaddr_in four{};
  sockaddr_in6 six{};
  four.sin_family = AF_INET;
  four.sin_port = htons(endpoint.port);
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(endpoint.port);
  const bool is_six =
      inet_pton(AF_INET, endpoint.host.c_str(), &four.sin_addr) != 1;
  if (is_six) inet_pton(AF_INET6, endpoint.host.c_str(), &six.sin6_addr);
  // The system's calls take all kinds of addresses through this type.
  const auto* address = is_six ? reinterpret_cast<const sockaddr*>(&six)
                               : reinterpret_cast<const sockaddr*>(&four);
  const socklen_t size = is_six ? sizeof(six) : sizeof(four);

  const int fd =
      socket(is_six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, address, size) != 0) {
    const int error = errno;
    if (fd >= 0) close(fd);
    throw Error(ErrorCode::kIo,
                fmt::format("cannot connect to {}: {}", endpoint.Name(),
                            std::generic_category().message(error)));
  }
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return fd;
}

}  // namespace manyarms::load
