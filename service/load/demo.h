#ifndef MANYARMS_SERVICE_LOAD_DEMO_H_
#define MANYARMS_SERVICE_LOAD_DEMO_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "service/load/world.h"

namespace manyarms::load {

// NOLINTBEGIN(readability-redundant-member-init): g++ warns without them.
struct DemoOptions {
  std::string host = "127.0.0.1";  ///< of a service without TLS
  std::uint16_t port = 7420;
  std::string token = {};  ///< an admin's; empty if none is needed
  double choices_per_second = 100;
  /// Gets what goes wrong while it runs, from its thread; it goes on then.
  std::function<void(const std::string&)> log = {};
};
// NOLINTEND(readability-redundant-member-init)

/// Fills a service with something to look at: the bandit "demo", some 2,000
/// products of a shop that come and go, and simulated visitors, whose clicks
/// come some seconds after the choices. Visitors who do not click send nothing,
/// so that default rewards are learned.
class Demo {
 public:
  /// Makes the bandit, or goes on with the one that an earlier demo has left,
  /// and starts a thread that drives it. Throws Error(kIo) with the service's
  /// reason if it refuses.
  explicit Demo(const DemoOptions& options);
  /// Stops at once. Stop a demo before its service.
  ~Demo();
  Demo(const Demo&) = delete;
  Demo& operator=(const Demo&) = delete;

  static constexpr const char* kBandit = "demo";
  static constexpr std::uint64_t kArms = 2'000;
  static constexpr std::uint64_t kVisitors = 24;

  /// Products and what visitors like, and the settings of the bandit.
  static WorldOptions Shop();
  static std::string Settings();
  static std::string VisitorName(std::uint64_t visitor);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace manyarms::load

#endif  // MANYARMS_SERVICE_LOAD_DEMO_H_
