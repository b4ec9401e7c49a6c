#ifndef MANYARMS_SERVICE_ENGINE_LOG_EXPORT_H_
#define MANYARMS_SERVICE_ENGINE_LOG_EXPORT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>

#include "service/store/changes.h"

namespace manyarms::service {

// NOLINTBEGIN(readability-redundant-member-init): g++ warns without them.
struct LogExportOptions {
  std::string place = {};   ///< of the store, as in StoreOptions
  std::string bandit = {};  ///< its name
  /// Decisions and observations from this moment on, and before that one.
  std::optional<Time> since = std::nullopt;
  std::optional<Time> until = std::nullopt;
  std::optional<std::string> learner = std::nullopt;  ///< none: all of them
  bool arms = true;  ///< when arms came and went, with their features
};
// NOLINTEND(readability-redundant-member-init)

/// What was written.
struct ExportedEvents {
  std::uint64_t decisions = 0;
  std::uint64_t rewards = 0;
  std::uint64_t observations = 0;
  std::uint64_t arm_changes = 0;
};

/// Writes what the store has of a bandit as a log (docs/log.md), in the order
/// in which it happened, as of one moment; a service that uses the store goes
/// on meanwhile. The number of a decision is the one that the service's clients
/// know. Rewards are those that were learned, defaults among them. Decisions in
/// place of which the caller's own arm was taken have the policy "caller".
///
/// It takes the memory of the features and names of all arms that there ever
/// were, if they are written. The caller checks the stream. `progress` gets the
/// share that is done.
///
/// Throws Error(kUnknownId) for a bandit that there is not, Error(kCorrupt) for
/// a store that is none or damaged, Error(kUnsupported) for one of a later
/// version, Error(kInvalidArgument) for options that cannot be, and
/// sql::Failure.
ExportedEvents ExportLog(const LogExportOptions& options, std::ostream& out,
                         const std::function<void(double)>& progress = {});

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_LOG_EXPORT_H_
