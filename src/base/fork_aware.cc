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

/// All objects that must be locked before a fork, by level.
class ForkRegistry {
 public:
  static ForkRegistry& Get() {
    // Never destroyed: objects may outlive any static one.
    static auto* const registry = new ForkRegistry;
    return *registry;
  }

  void Insert(ForkAware* object) {
    const std::scoped_lock lock(mutex_);
    Of(object).insert(object);
  }

  void Erase(ForkAware* object) {
    const std::scoped_lock lock(mutex_);
    Of(object).erase(object);
  }

 private:
  using Objects = std::unordered_set<ForkAware*>;

  ForkRegistry() {
    pthread_atfork([] { Get().Prepare(); }, [] { Get().InParent(); },
                   [] { Get().InChild(); });
  }

  Objects& Of(const ForkAware* object) {
    return objects_[static_cast<std::size_t>(object->level_)];
  }

  void Prepare() {
    mutex_.lock();
    for (const Objects& level : objects_) {
      for (ForkAware* object : level) object->LockBeforeFork();
    }
  }

  void InParent() {
    for (const Objects& level : objects_) {
      for (ForkAware* object : level) object->UnlockInParent();
    }
    mutex_.unlock();
  }

  void InChild() {
    ++generation;
    for (const Objects& level : objects_) {
      for (ForkAware* object : level) object->UnlockInChild();
    }
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::array<Objects, 3> objects_;
};

ForkAware::ForkAware(Level level) : level_(level) {
  ForkRegistry::Get().Insert(this);
}

ForkAware::~ForkAware() { ForkRegistry::Get().Erase(this); }

std::uint64_t ForkGeneration() { return generation; }

}  // namespace manyarms
