#ifndef MANYARMS_SERVICE_LOAD_CONNECTION_H_
#define MANYARMS_SERVICE_LOAD_CONNECTION_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "service/load/answers.h"
#include "service/load/endpoint.h"
#include "service/load/response_reader.h"

namespace manyarms::load {

/// A connection of a load test, with the one request that is under way.
class Connection {
 public:
  enum class Stage : std::uint8_t { kFree, kChoosing, kRewarding };
  enum class Outcome : std::uint8_t { kWaiting, kAnswered, kClosed };
  using Time = std::chrono::steady_clock::time_point;

  Connection() = default;
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Connects anew. Throws Error(kIo).
  void Open(const Endpoint& endpoint, double timeout_seconds);

  /// Sends `head`, a length and the body. Returns whether the service takes it.
  bool Send(std::string_view head, std::string_view body);

  /// Takes what has come of the answer. Throws Error(kCorrupt).
  Outcome Receive();

  const ResponseReader& answer() const { return reader_; }
  int fd() const { return fd_; }

  // What its user keeps of the request.
  Stage stage = Stage::kFree;
  Time due;   ///< when it should have been sent
  Time sent;  ///< when it was
  std::vector<std::uint64_t> learners;
  std::vector<Chosen> chosen;
  std::uint64_t last_decision = 0;

 private:
  int fd_ = -1;
  ResponseReader reader_;
  std::string request_;
};

}  // namespace manyarms::load

#endif  // MANYARMS_SERVICE_LOAD_CONNECTION_H_
