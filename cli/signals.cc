#include "signals.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "manyarms/error.h"

namespace manyarms::cli {
namespace {

// What a handler writes can be waited for. Threads that the library has may get
// the signal, so that it cannot be blocked and waited for instead.
std::array<int, 2> g_pipe{-1, -1};

extern "C" void TellOfSignal(int signal) {
  const int before = errno;
  const char wish = signal == SIGHUP ? 'r' : 's';
  // If the pipe is full, enough has been said.
  [[maybe_unused]] const ssize_t written = write(g_pipe[1], &wish, 1);
  errno = before;
}

void Handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

constexpr std::array kSignals{SIGTERM, SIGINT, SIGHUP};

}  // namespace

Signals::Signals() {
  if (pipe2(g_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw Error(ErrorCode::kIo, "cannot make a pipe: " +
                                    std::generic_category().message(errno));
  }
  for (const int signal : kSignals) Handle(signal, TellOfSignal);
  Handle(SIGPIPE, SIG_IGN);
}

Signals::~Signals() {
  for (const int signal : kSignals) Handle(signal, SIG_DFL);
  for (int& end : g_pipe) {
    close(end);
    end = -1;
  }
}

std::optional<Signals::Wish> Signals::Wait(double seconds) {
  pollfd wait{.fd = g_pipe[0], .events = POLLIN, .revents = 0};
  if (poll(&wait, 1, static_cast<int>(seconds * 1000)) <= 0) {
    return std::nullopt;
  }
  char wish = 0;
  if (read(g_pipe[0], &wish, 1) != 1) return std::nullopt;
  return wish == 'r' ? Wish::kReload : Wish::kStop;
}

}  // namespace manyarms::cli
