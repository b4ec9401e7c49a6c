#ifndef MANYARMS_SERVICE_LOAD_ENDPOINT_H_
#define MANYARMS_SERVICE_LOAD_ENDPOINT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace manyarms::load {

/// A service on this machine.
struct Endpoint {
  std::string host = "127.0.0.1";  ///< of 127.0.0.0/8, or ::1
  std::uint16_t port = 7420;

  /// As the header Host has it.
  std::string Name() const;
};

/// Reads a URL such as http://127.0.0.1:7420. Throws Error(kInvalidArgument)
/// for what is none, and for another machine: a load test takes whatever the
/// service can give away from everybody else who uses it.
Endpoint ParseUrl(std::string_view url);

/// Where a service of this machine is reached that listens at `address`.
std::string HostToConnectTo(const std::string& address);

/// Connects with TCP_NODELAY and returns the descriptor. Throws Error(kIo).
/// (Connections on one machine are there at once or refused.)
int Connect(const Endpoint& endpoint);

}  // namespace manyarms::load

#endif  // MANYARMS_SERVICE_LOAD_ENDPOINT_H_
