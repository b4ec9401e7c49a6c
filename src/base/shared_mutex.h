#ifndef MANYARMS_BASE_SHARED_MUTEX_H_
#define MANYARMS_BASE_SHARED_MUTEX_H_

#include <pthread.h>

#include "base/fork_aware.h"

namespace manyarms {

/// Like std::shared_mutex, for std::unique_lock and std::shared_lock, with two
/// differences. A writer that waits keeps new readers out, so that any number
/// of readers, one after another, cannot keep it waiting for ever. (A thread
/// must therefore not take it for reading twice.) And a forked child may use
/// what it guards.
class PlainSharedMutex : public ForkHandlers {
 public:
  void lock();
  void unlock();
  void lock_shared();
  void unlock_shared() { unlock(); }

 protected:
  PlainSharedMutex() { Init(); }
  ~PlainSharedMutex() { pthread_rwlock_destroy(&lock_); }

 private:
  void Init();
  void LockBeforeFork() override { lock(); }
  void UnlockInParent() override { unlock(); }
  void UnlockInChild() override { Init(); }

  pthread_rwlock_t lock_;
};

using SharedMutex = ForkAware<PlainSharedMutex>;

}  // namespace manyarms

#endif  // MANYARMS_BASE_SHARED_MUTEX_H_
