#ifndef MANYARMS_SERVICE_ENGINE_CLAIMED_ID_H_
#define MANYARMS_SERVICE_ENGINE_CLAIMED_ID_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "service/engine/bandit_state.h"
#include "service/engine/remembered.h"

namespace manyarms::service {

/// A client's id of a reward, which is forgotten again unless the reward is
/// written.
class ClaimedId {
 public:
  ClaimedId(Remembered<RewardWithId>& ids, std::string id,
            std::uint64_t learner)
      : ids_(ids), id_(std::move(id)), learner_(learner) {
    if (!id_.empty()) known_ = ids.FindOrAdd(id_, {.learner = learner});
  }
  ~ClaimedId() {
    if (!id_.empty() && !known_ && !kept_) ids_.Erase(id_);
  }
  ClaimedId(const ClaimedId&) = delete;
  ClaimedId& operator=(const ClaimedId&) = delete;

  const std::optional<RewardWithId>& known() const { return known_; }

  void Keep(Sequence sequence) {
    if (!id_.empty()) {
      ids_.Set(id_, {.learner = learner_, .sequence = sequence});
    }
    kept_ = true;
  }

 private:
  Remembered<RewardWithId>& ids_;
  const std::string id_;
  const std::uint64_t learner_;
  std::optional<RewardWithId> known_;
  bool kept_ = false;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_CLAIMED_ID_H_
