#ifndef MANYARMS_CLI_EXIT_STATUS_H_
#define MANYARMS_CLI_EXIT_STATUS_H_

#include <stdexcept>
#include <string>

namespace manyarms::cli {

/// The status of a service whose store another process has taken over.
inline constexpr int kTakenOverStatus = 3;

/// Ends the program with this status after printing the message.
class ExitStatus : public std::runtime_error {
 public:
  ExitStatus(int status, const std::string& message)
      : std::runtime_error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

}  // namespace manyarms::cli

#endif  // MANYARMS_CLI_EXIT_STATUS_H_
