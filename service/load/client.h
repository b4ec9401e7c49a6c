#ifndef MANYARMS_SERVICE_LOAD_CLIENT_H_
#define MANYARMS_SERVICE_LOAD_CLIENT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "service/load/endpoint.h"
#include "service/load/response_reader.h"

namespace manyarms::load {

struct Answer {
  unsigned status = 0;
  std::string body;
};

/// Sends requests one after another over a connection that it keeps, and opens
/// again if the service has closed it.
class Client {
 public:
  /// Nothing is connected yet. An empty token is none.
  explicit Client(Endpoint endpoint, std::string token = "",
                  double timeout_seconds = 30);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Throws Error(kIo) if there is no answer, and Error(kCorrupt) for one that
  /// is not HTTP. A request may have been carried out even so.
  Answer Send(std::string_view method, const std::string& path,
              std::string_view body = {},
              std::string_view content_type = "application/json");

  /// With a long body, whose pieces `next` returns until `length` bytes are
  /// there.
  Answer SendPieces(std::string_view method, const std::string& path,
                    std::string_view content_type, std::uint64_t length,
                    const std::function<std::string_view()>& next);

  const Endpoint& endpoint() const { return endpoint_; }

 private:
  void Open();
  void Close();
  bool Write(std::string_view bytes);
  Answer Read();
  std::string Head(std::string_view method, const std::string& path,
                   std::string_view content_type, std::uint64_t length) const;

  const Endpoint endpoint_;
  const std::string token_;
  const double timeout_seconds_;
  int fd_ = -1;
  bool was_closed_ = false;  // before any byte of an answer came
  ResponseReader reader_;
};

/// The fields of a head that all requests have in common, each with its line's
/// end. Throws Error(kInvalidArgument) for a token that a head cannot hold.
std::string CommonFields(const Endpoint& endpoint, const std::string& token);

}  // namespace manyarms::load

#endif  // MANYARMS_SERVICE_LOAD_CLIENT_H_
