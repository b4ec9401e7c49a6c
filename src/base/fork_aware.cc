#include "base/fork_aware.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <mutex>
#include <unordered_set>

namespace manyarms {
namespace {

std::atomic<std::uint64_t> generation = 0;

}  // namespace

/// All locks that must be taken before a fork, by level. Its mutex is held
/// throughout a fork, so that locks are made and destroyed before it or after
/// it.
class ForkRegistry {
 public:
  static ForkRegistry& Get() {
    // Never destroyed: locks may outlive any static object.
    static auto* const registry = new ForkRegistry;
    return *registry;
  }

  void Insert(LockLevel level, ForkHandlers* lock) {
    const std::scoped_lock guard(mutex_);
    Of(level).insert(lock);
  }

  // Waits for a fork that is under way. There can be no deadlock, even though
  // the fork may be about to take this very lock:
  // - It does not have to wait for this one. Nobody else uses a lock that is
  //   being destroyed.
  // - It may have to wait for another one. The thread that holds that one
  //   neither makes nor destroys a lock meanwhile, so it does not wait here. If
  //   it waits for a lock, then for one of a higher level, which the fork has
  //   not taken yet.
  // - The thread that waits here holds no lock that anybody could wait for.
  void Erase(LockLevel level, ForkHandlers* lock) {
    const std::scoped_lock guard(mutex_);
    Of(level).erase(lock);
  }

 private:
  using Locks = std::unordered_set<ForkHandlers*>;

  ForkRegistry() {
    pthread_atfork([] { Get().Prepare(); }, [] { Get().InParent(); },
                   [] { Get().InChild(); });
  }

  Locks& Of(LockLevel level) { return locks_[static_cast<std::size_t>(level)]; }

  void Prepare() {
    mutex_.lock();
    for (const Locks& level : locks_) {
      for (ForkHandlers* lock : level) lock->LockBeforeFork();
    }
  }

  void InParent() {
    for (const Locks& level : locks_) {
      for (ForkHandlers* lock : level) lock->UnlockInParent();
    }
    mutex_.unlock();
  }

  void InChild() {
    ++generation;
    for (const Locks& level : locks_) {
      for (ForkHandlers* lock : level) lock->UnlockInChild();
    }
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::array<Locks, static_cast<std::size_t>(LockLevel::kIndex) + 1> locks_;
};

namespace {

// Made when the library is loaded. A child that was forked while another thread
// made it would wait for that thread for ever. (If there is no memory for it,
// the process ends.)
// NOLINTNEXTLINE(bugprone-throwing-static-initialization)
[[maybe_unused]] const ForkRegistry& made_early = ForkRegistry::Get();

}  // namespace

void ForkHandlers::Register(LockLevel level) {
  ForkRegistry::Get().Insert(level, this);
}

void ForkHandlers::Unregister(LockLevel level) {
  ForkRegistry::Get().Erase(level, this);
}

std::uint64_t ForkGeneration() { return generation; }

}  // namespace manyarms
