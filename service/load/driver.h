#ifndef MANYARMS_SERVICE_LOAD_DRIVER_H_
#define MANYARMS_SERVICE_LOAD_DRIVER_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "service/load/endpoint.h"
#include "service/load/latencies.h"
#include "service/load/world.h"

namespace manyarms::load {

// NOLINTBEGIN(readability-redundant-member-init): g++ warns without them.
/// How a bandit that is filled is driven.
struct DriveOptions {
  Endpoint endpoint = {};
  std::string token = {};
  std::string bandit = "load-test";
  bool numbered = false;  ///< arms have numbers, not names
  unsigned connections = 64;
  unsigned threads = 1;
  std::size_t batch = 1;  ///< choices, and then rewards, in one request
  double seconds = 10;
  /// Choices after which it ends even if time is left; 0: no such limit.
  std::uint64_t choices = 0;
  /// Nothing is recorded in the first seconds.
  double warm_up = 0;
  /// Choices in a second, whatever the service can do, with times from the
  /// moment at which each was due. 0: a connection sends the next one as soon
  /// as it has its answer.
  double rate = 0;
  /// With another number, other learners come, and rewards vary otherwise.
  std::uint64_t visits = 1;
  /// Only statuses are looked at, for services that always answer the same.
  bool unchecked = false;
  double timeout_seconds = 30;
};
// NOLINTEND(readability-redundant-member-init)

/// What came of it, or of a part.
struct Tally {
  Latencies choose;
  Latencies reward;
  std::uint64_t choices = 0;   ///< answered in time
  std::uint64_t rewards = 0;   ///< likewise
  std::uint64_t requests = 0;  ///< likewise
  std::uint64_t bytes = 0;     ///< of answers
  /// How many, by their status or another word.
  std::map<std::string, std::uint64_t> errors;
  std::string first_error;
  std::uint64_t reconnects = 0;

  void Add(const Tally& other);
};

/// What the drivers of several threads share. The times are set before they
/// run.
struct Course {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start;  ///< nothing is recorded before
  Clock::time_point end;    ///< no choice begins afterwards
  std::atomic<std::uint64_t> begun = 0;
  std::atomic<bool> stopped = false;  ///< because something failed
};

/// Drives some connections from one thread.
class Driver {
 public:
  /// The driver's number is below options.threads. Connects; throws Error(kIo).
  Driver(const DriveOptions& options, const World& world, Course& course,
         unsigned number);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// Returns when the course is over and all requests are answered. Throws
  /// Error(kIo) if the service is gone.
  void Run();

  const Tally& tally() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace manyarms::load

#endif  // MANYARMS_SERVICE_LOAD_DRIVER_H_
