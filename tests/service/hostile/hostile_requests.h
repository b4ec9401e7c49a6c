#ifndef MANYARMS_TESTS_SERVICE_HOSTILE_HOSTILE_REQUESTS_H_
#define MANYARMS_TESTS_SERVICE_HOSTILE_HOSTILE_REQUESTS_H_

#include <cstdint>
#include <string>

#include "tests/service/hostile/chance.h"

namespace manyarms::hostile {

/// What a client sends on a connection, and how.
struct Script {
  enum class Pace : std::uint8_t {
    kAtOnce,
    kInPieces,  ///< a write each
    kSlowly,    ///< a byte every tenth of a second
    kDeaf,      ///< asks much, and does not read the answers
  };
  enum class Ending : std::uint8_t {
    kKeep,       ///< reads the answer and keeps the connection
    kHalfClose,  ///< says that no more comes, and reads what comes
    kReset,      ///< is gone at once
  };

  // NOLINTBEGIN(readability-redundant-member-init): g++ warns without them.
  std::string kind = {};  ///< for the summary
  std::string bytes = {};
  // NOLINTEND(readability-redundant-member-init)
  Pace pace = Pace::kAtOnce;
  Ending ending = Ending::kHalfClose;
  bool is_head = false;  ///< the answer has no body
  /// Exactly one answer must come: the request is one that any reader divides
  /// from the next in the same way.
  bool one_answer = false;
  /// The first answer, if there is one, must be an error, and nothing of the
  /// bytes after it may be answered.
  bool refused = false;
};

/// A random script; one in ten is a valid request.
Script HostileScript(Chance& chance);

/// A client that sends so slowly, or reads so slowly, that it must be cut off.
Script SlowScript(Chance& chance);

}  // namespace manyarms::hostile

#endif  // MANYARMS_TESTS_SERVICE_HOSTILE_HOSTILE_REQUESTS_H_
