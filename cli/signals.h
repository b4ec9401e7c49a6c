#ifndef MANYARMS_CLI_SIGNALS_H_
#define MANYARMS_CLI_SIGNALS_H_

#include <optional>

namespace manyarms::cli {

/// Signals that ask a service for something, as long as this lives: SIGTERM and
/// SIGINT, to stop, and SIGHUP, to read files again. There can be one.
class Signals {
 public:
  enum class Wish { kStop, kReload };

  /// Throws Error(kIo).
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// Waits for a signal, at most this long.
  std::optional<Wish> Wait(double seconds);
};

}  // namespace manyarms::cli

#endif  // MANYARMS_CLI_SIGNALS_H_
