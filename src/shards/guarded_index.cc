#include "shards/guarded_index.h"

namespace manyarms {
namespace {

class GuardedFinder final : public Finder {
 public:
  GuardedFinder(std::unique_ptr<Finder> known, Objective objective,
                Guard& guard)
      : known_(std::move(known)), objective_(objective), guard_(guard) {}

  std::optional<Hit> Best(const Query& query) override {
    const std::optional<Hit> best = known_->Best(query);
    const bool found = best && best->slot != kNoSlot;
    guard_.Check(objective_, query,
                 found ? std::span(&*best, 1) : std::span<const Hit>());
    return best;
  }

  std::vector<Hit> Top(const Query& query, const TopRequest& request) override {
    std::vector<Hit> top = known_->Top(query, request);
    guard_.Check(objective_, query, top);
    return top;
  }

  SearchStats stats() const override { return known_->stats(); }
  std::size_t memory_bytes() const override {
    return sizeof(*this) + known_->memory_bytes();
  }

 private:
  const std::unique_ptr<Finder> known_;
  const Objective objective_;
  Guard& guard_;
};

}  // namespace

std::unique_ptr<Finder> GuardedIndex::MakeFinder() {
  return std::make_unique<GuardedFinder>(known_->MakeFinder(), task().objective,
                                         guard_);
}

std::unique_ptr<Finder> GuardedIndex::MakeSharedFinder() {
  return std::make_unique<GuardedFinder>(known_->MakeSharedFinder(),
                                         task().objective, guard_);
}

void GuardedIndex::MembersChanged(std::span<const Slot> removed,
                                  std::span<const Slot> added) {
  if (removed.empty()) {
    known_->Add(added);
  } else if (added.empty()) {
    known_->Remove(removed);
  } else {
    known_->Replace(added);
  }
}

}  // namespace manyarms
