#ifndef MANYARMS_CLI_PROGRESS_H_
#define MANYARMS_CLI_PROGRESS_H_

#include <chrono>
#include <string>

namespace manyarms::cli {

/// Tells on standard error how far a long piece of work has got: a bar that
/// redraws itself on a terminal, a line every half a minute elsewhere.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Starts a piece.
  void Begin(const std::string& label);

  /// Says anew what the piece is called.
  void Rename(const std::string& label) { label_ = label; }

  /// The share of the piece that is done, 0 to 1.
  void Update(double done);

  /// A line of its own, above the bar.
  void Say(const std::string& line);

  /// Takes the bar off the screen; nothing is said of the piece.
  void Erase();

 private:
  using Clock = std::chrono::steady_clock;

  const bool terminal_;
  std::string label_;
  Clock::time_point start_;
  Clock::time_point drawn_;
  bool dirty_ = false;  // a bar is on the screen
};

}  // namespace manyarms::cli

#endif  // MANYARMS_CLI_PROGRESS_H_
