#ifndef MANYARMS_SERVICE_LOAD_RUN_LOAD_H_
#define MANYARMS_SERVICE_LOAD_RUN_LOAD_H_

#include <functional>
#include <string>

#include "service/load/driver.h"
#include "service/load/world.h"

namespace manyarms::load {

// NOLINTBEGIN(readability-redundant-member-init): g++ warns without them.
struct LoadOptions {
  DriveOptions drive = {};
  WorldOptions world = {};
  /// Further settings of the bandit, as JSON (docs/service.md).
  std::string settings = "{}";
  bool keep = false;   ///< the bandit stays afterwards
  bool reuse = false;  ///< it is there, from a load test that kept it
};
// NOLINTEND(readability-redundant-member-init)

struct LoadReport {
  Tally tally;
  double fill_seconds = 0;  ///< for adding the arms
  double seconds = 0;       ///< that were measured
};

/// Called with what is done, and the share of it that is done.
using LoadProgress = std::function<void(const std::string&, double)>;

/// Fills a bandit, makes choices for learners of a world, and sends their
/// rewards, over connections to a service on this machine. Every answer is
/// checked: that the arm is one of the world, and the decision a new one.
///
/// Throws Error(kInvalidArgument) for options that cannot be, Error(kIo) if the
/// service refuses what the test needs or is gone, and Error(kDuplicateId) if
/// there is a bandit of this name and `reuse` is false.
LoadReport RunLoadTest(const LoadOptions& options,
                       const LoadProgress& progress = {});

/// A table for people.
std::string ToText(const LoadOptions& options, const LoadReport& report);
/// One line of JSON.
std::string ToJson(const LoadOptions& options, const LoadReport& report);

}  // namespace manyarms::load

#endif  // MANYARMS_SERVICE_LOAD_RUN_LOAD_H_
