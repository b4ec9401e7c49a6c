#ifndef MANYARMS_SHARDS_GUARDED_INDEX_H_
#define MANYARMS_SHARDS_GUARDED_INDEX_H_

#include <functional>
#include <memory>
#include <utility>

#include "search/search.h"
#include "shards/guard.h"

namespace manyarms {

/// Finds the best of the arms that a learner knows. Its answers must pass a
/// guard, which must outlive it.
class GuardedIndex final : public Index {
 public:
  GuardedIndex(std::unique_ptr<Index> known, Guard& guard)
      : Index(known->task(), known->store(), Scope::kAllArms),
        known_(std::move(known)),
        guard_(guard) {}

  std::unique_ptr<Finder> MakeFinder() override;
  std::unique_ptr<Finder> MakeSharedFinder() override;

 private:
  void MembersChanged(std::span<const Slot> removed,
                      std::span<const Slot> added) override;

  const std::unique_ptr<Index> known_;
  Guard& guard_;
};

/// Wraps an index so.
inline std::function<std::unique_ptr<Index>(std::unique_ptr<Index>)> GuardedBy(
    Guard& guard) {
  return [&guard](std::unique_ptr<Index> known) -> std::unique_ptr<Index> {
    return std::make_unique<GuardedIndex>(std::move(known), guard);
  };
}

}  // namespace manyarms

#endif  // MANYARMS_SHARDS_GUARDED_INDEX_H_
