// Sends malformed and hostile requests to a service on loopback, and checks
// that each answer is one that the service may give:
//
//   hostile --port 7420 --requests 1000000 --seed 1 --connections 100 --slow 20
//
// Prints what was sent and answered as JSON. The exit code is 1 if an answer
// was wrong or missing.

#include <sys/epoll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <deque>
#include <nlohmann/json.hpp>

#include "tests/service/hostile/hostile_client.h"

namespace manyarms::hostile {
namespace {

struct Flags {
  std::uint16_t port = 0;
  std::uint64_t requests = 50'000;
  std::uint64_t seed = 1;
  std::size_t connections = 100;
  std::size_t slow = 0;
};

class Drive {
 public:
  explicit Drive(const Flags& flags)
      : flags_(flags),
        chance_(flags.seed),
        epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    for (std::size_t i = 0; i < flags.connections + flags.slow; ++i) {
      clients_.emplace_back(flags.port, epoll_, chance_, tally_);
    }
  }
  ~Drive() { close(epoll_); }
  Drive(const Drive&) = delete;
  Drive& operator=(const Drive&) = delete;

  const Tally& Run() {
    for (std::size_t i = flags_.connections; i < clients_.size(); ++i) {
      clients_[i].Play(SlowScript(chance_));
    }
    // A service that answers nothing must not make this take for ever.
    while (Feed() && tally_.failed < 1000) Wait();
    return tally_;
  }

 private:
  // Gives clients that are ready something to do; false if nothing is left.
  bool Feed() {
    bool busy = false;
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      HostileClient& client = clients_[i];
      while (i < flags_.connections && client.ready() &&
             sent_ < flags_.requests) {
        ++sent_;
        client.Play(HostileScript(chance_));
      }
      busy = busy || !client.ready();
    }
    return busy;
  }

  void Wait() {
    epoll_event events[64];
    const int count = epoll_wait(epoll_, events, 64, 20);
    for (int i = 0; i < count; ++i) {
      static_cast<HostileClient*>(events[i].data.ptr)
          ->Happened(events[i].events);
    }
    const Clock::time_point now = Clock::now();
    for (HostileClient& client : clients_) client.Tick(now);
  }

  Flags flags_;
  Chance chance_;
  int epoll_;
  Tally tally_;
  std::deque<HostileClient> clients_;
  std::uint64_t sent_ = 0;
};

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app("Sends hostile requests to a service on loopback");
  app.add_option("--port", flags.port)->required();
  app.add_option("--requests", flags.requests);
  app.add_option("--seed", flags.seed);
  app.add_option("--connections", flags.connections);
  app.add_option("--slow", flags.slow);
  CLI11_PARSE(app, argc, argv);
  Drive drive(flags);
  const Tally& tally = drive.Run();
  nlohmann::ordered_json said;
  said["sent"] = tally.kinds;
  for (const auto& [status, count] : tally.statuses) {
    said["answered"][std::to_string(status)] = count;
  }
  said["unanswered"] = tally.unanswered;
  said["failed"] = tally.failed;
  said["failures"] = tally.failures;
  std::puts(said.dump().c_str());
  return tally.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace manyarms::hostile

int main(int argc, char** argv) { return manyarms::hostile::Main(argc, argv); }
