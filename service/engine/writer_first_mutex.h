#ifndef MANYARMS_SERVICE_ENGINE_WRITER_FIRST_MUTEX_H_
#define MANYARMS_SERVICE_ENGINE_WRITER_FIRST_MUTEX_H_

#include <pthread.h>

namespace manyarms::service {

/// Like std::shared_mutex, for std::unique_lock and std::shared_lock, but a
/// writer that waits keeps new readers out: choices follow one another without
/// a gap, and would keep changes of arms waiting for ever. A thread must not
/// take it for reading twice.
class WriterFirstMutex {
 public:
  WriterFirstMutex() {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes,
                                  PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock_, &attributes);
    pthread_rwlockattr_destroy(&attributes);
  }
  ~WriterFirstMutex() { pthread_rwlock_destroy(&lock_); }
  WriterFirstMutex(const WriterFirstMutex&) = delete;
  WriterFirstMutex& operator=(const WriterFirstMutex&) = delete;

  void lock() { pthread_rwlock_wrlock(&lock_); }
  void unlock() { pthread_rwlock_unlock(&lock_); }
  void lock_shared() { pthread_rwlock_rdlock(&lock_); }
  /// Returns false if a writer has it or waits for it.
  bool try_lock_shared() { return pthread_rwlock_tryrdlock(&lock_) == 0; }
  void unlock_shared() { unlock(); }

 private:
  pthread_rwlock_t lock_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_WRITER_FIRST_MUTEX_H_
