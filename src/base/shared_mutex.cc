#include "base/shared_mutex.h"

namespace manyarms {

void PlainSharedMutex::Init() {
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
#ifdef __GLIBC__
  pthread_rwlockattr_setkind_np(&attributes,
                                PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
  pthread_rwlock_init(&lock_, &attributes);
  pthread_rwlockattr_destroy(&attributes);
}

void PlainSharedMutex::lock() { pthread_rwlock_wrlock(&lock_); }
void PlainSharedMutex::unlock() { pthread_rwlock_unlock(&lock_); }
void PlainSharedMutex::lock_shared() { pthread_rwlock_rdlock(&lock_); }

}  // namespace manyarms
