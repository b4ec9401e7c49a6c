#ifndef MANYARMS_CLI_PROGRESS_H_
#define MANYARMS_CLI_PROGRESS_H_

#include <chrono>
#include <string>

namespace manyarms::cli {

/// Shows the progress of a long task on standard error: as a bar on a terminal,
/// and otherwise as a line every half a minute.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Starts a task.
  void Begin(const std::string& label);

  /// Changes the task's label.
  void Rename(const std::string& label) { label_ = label; }

  /// `done` is the share of the task that is done, from 0 to 1.
  void Update(double done);

  /// Prints a line above the bar.
  void Say(const std::string& line);

  /// Removes the bar from the screen.
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
