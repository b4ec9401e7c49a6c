#ifndef MANYARMS_TESTS_SERVICE_HOSTILE_HOSTILE_CLIENT_H_
#define MANYARMS_TESTS_SERVICE_HOSTILE_HOSTILE_CLIENT_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/service/hostile/hostile_requests.h"

namespace manyarms::hostile {

using Clock = std::chrono::steady_clock;

struct Tally {
  std::map<std::string, std::uint64_t> kinds;
  std::map<int, std::uint64_t> statuses;
  std::uint64_t unanswered = 0;       ///< of those that need no answer
  std::vector<std::string> failures;  ///< the first ones
  std::uint64_t failed = 0;
};

/// A client with one connection at a time, driven by epoll: it plays a script,
/// and then is ready for the next.
class HostileClient {
 public:
  HostileClient(std::uint16_t port, int epoll, Chance& chance, Tally& tally);
  ~HostileClient();
  HostileClient(const HostileClient&) = delete;
  HostileClient& operator=(const HostileClient&) = delete;

  bool ready() const { return ready_; }
  void Play(Script script);

  /// What epoll says of the connection.
  void Happened(std::uint32_t events);
  /// To be called often: sends slowly, and gives up when it takes too long.
  void Tick(Clock::time_point now);

 private:
  bool Connect();
  void Disconnect(bool reset);
  void Send();
  void Receive();
  void TakeAnswers();
  void SentAll();
  void Gone();
  void Done();
  void Fail(const std::string& what);

  std::uint16_t port_;
  int epoll_;
  Chance& chance_;
  Tally& tally_;
  int socket_ = -1;
  bool ready_ = true;
  Script script_;
  std::size_t sent_ = 0;
  bool all_sent_ = false;
  std::string received_;
  int answers_ = 0;
  int first_status_ = 0;
  bool closes_ = false;
  Clock::time_point deadline_;
  Clock::time_point next_byte_;
};

}  // namespace manyarms::hostile

#endif  // MANYARMS_TESTS_SERVICE_HOSTILE_HOSTILE_CLIENT_H_
