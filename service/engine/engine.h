#ifndef MANYARMS_SERVICE_ENGINE_ENGINE_H_
#define MANYARMS_SERVICE_ENGINE_ENGINE_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "service/engine/served_bandit.h"
#include "service/store/store.h"

namespace manyarms::service {

struct EngineOptions {
  Limits limits;
  /// Decisions and rewards older than this are deleted, in days; 0: never.
  double retention_days = 0;
  /// How often to look whether there are enough events that learners have
  /// to be saved, so that a restart has little to replay.
  double save_seconds = 10;
  /// For tests: the clock, in seconds since 1970.
  // NOLINTNEXTLINE(readability-redundant-member-init): g++ warns without it
  std::function<Time()> clock = {};
};

/// All bandits over one store. A thread of its own learns default rewards,
/// saves learners and deletes what is too old.
///
/// Thread safety: any thread may call any method.
class Engine {
 public:
  /// Brings back what the store has; `progress` is called with what is being
  /// read and the share that is done.
  Engine(Store& store, const EngineOptions& options,
         const std::function<void(const std::string&, double)>& progress = {});
  /// Saves all learners, so that the next start is fast.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  struct Created {
    std::shared_ptr<ServedBandit> bandit;
    bool is_new = false;  ///< false: it was there, and is as it was
    Sequence durable_at = 0;
  };
  /// A bandit that is there keeps its semantics, so that a program which makes
  /// its bandits whenever it starts does not undo a Change. Throws
  /// Refused(kConflict) if it is there with other settings that cannot change,
  /// and Error(kInvalidArgument) for a name that is not 1 to 64 of a-z, A-Z,
  /// 0-9,
  /// '-', '_' and '.', or begins with '.'.
  Created Create(const std::string& name, const Settings& settings);

  /// Throws Refused(kNotFound).
  std::shared_ptr<ServedBandit> At(std::string_view name) const;

  std::vector<std::shared_ptr<ServedBandit>> Bandits() const;  ///< by name

  Sequence Delete(std::string_view name);

  Store& store() const;
  const Limits& limits() const;
  Time Now() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_ENGINE_H_
