#ifndef MANYARMS_PYTHON_FAIR_MUTEX_H_
#define MANYARMS_PYTHON_FAIR_MUTEX_H_

#include <memory>
#include <mutex>
#include <shared_mutex>

#include "base/fork_aware.h"

namespace manyarms::python {

/// A shared mutex that does not starve writers: while a thread waits for it,
/// threads that come later wait, too. (With std::shared_mutex alone, readers
/// that follow one another closely can keep a writer waiting for ever.) In a
/// forked child it is free.
class PlainFairMutex : public ForkHandlers {
 public:
  void lock() {
    const std::scoped_lock gate(locks_->gate);
    locks_->mutex.lock();
  }
  bool try_lock() {
    const std::unique_lock gate(locks_->gate, std::try_to_lock);
    return gate.owns_lock() && locks_->mutex.try_lock();
  }
  void unlock() { locks_->mutex.unlock(); }

  void lock_shared() {
    const std::scoped_lock gate(locks_->gate);
    locks_->mutex.lock_shared();
  }
  bool try_lock_shared() {
    const std::unique_lock gate(locks_->gate, std::try_to_lock);
    return gate.owns_lock() && locks_->mutex.try_lock_shared();
  }
  void unlock_shared() { locks_->mutex.unlock_shared(); }

 protected:
  PlainFairMutex() = default;
  ~PlainFairMutex() = default;

 private:
  struct Locks {
    std::mutex gate;  // held while waiting
    std::shared_mutex mutex;
  };

  void LockBeforeFork() override { lock(); }
  void UnlockInParent() override { unlock(); }
  // Other threads may have held the gate. They do not exist in the child, which
  // therefore gets new locks.
  void UnlockInChild() override {
    static_cast<void>(locks_.release());
    locks_ = std::make_unique<Locks>();
  }

  std::unique_ptr<Locks> locks_ = std::make_unique<Locks>();
};

using FairMutex = ForkAware<PlainFairMutex>;

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_FAIR_MUTEX_H_
