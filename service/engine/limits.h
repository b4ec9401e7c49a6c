#ifndef MANYARMS_SERVICE_ENGINE_LIMITS_H_
#define MANYARMS_SERVICE_ENGINE_LIMITS_H_

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace manyarms::service {

struct Limits {
  std::size_t bandits = 1'000;
  std::uint64_t arms = 100'000'000;     ///< of a bandit
  std::uint64_t learners = 10'000'000;  ///< of a bandit
  /// Of all learners of a bandit, as LearnerBytes counts; 0: half of the memory
  /// of the machine.
  std::uint64_t learner_bytes = 0;
  std::uint64_t open_decisions = 50'000'000;  ///< of a bandit
  std::size_t events = 1'000'000;  ///< remembered for retries, of a bandit
  std::size_t slate = 1'000;
  std::size_t tags = 64;   ///< of an arm
  std::size_t text = 256;  ///< bytes of a name, key, event or tag
};

/// What strangers may know of a store that cannot write. The reason names files
/// and hosts, and goes into the log only.
inline constexpr const char* kCannotWrite =
    "the store cannot write now; the log of the service says why";

/// An error of the service that has a status of its own.
enum class Refusal : std::uint8_t {
  kNotFound,    ///< 404
  kConflict,    ///< 409
  kTooMany,     ///< 429: a limit of the service is reached
  kUnavailable  ///< 503: the store cannot write now
};

class Refused : public std::runtime_error {
 public:
  Refused(Refusal why, const std::string& message, std::string reason = {})
      : std::runtime_error(message), why_(why), reason_(std::move(reason)) {}
  Refusal why() const { return why_; }
  /// What the log says in place of the message, or empty.
  const std::string& reason() const { return reason_; }

 private:
  Refusal why_;
  std::string reason_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_LIMITS_H_
