#include "base/shared_mutex.h"

namespace manyarms {

SharedMutex::SharedMutex(Level level) : ForkAware(level) { Init(); }

SharedMutex::~SharedMutex() { pthread_rwlock_destroy(&lock_); }

void SharedMutex::Init() {
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
#ifdef __GLIBC__
  pthread_rwlockattr_setkind_np(&attributes,
                                PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
  pthread_rwlock_init(&lock_, &attributes);
  pthread_rwlockattr_destroy(&attributes);
}

void SharedMutex::lock() { pthread_rwlock_wrlock(&lock_); }
void SharedMutex::unlock() { pthread_rwlock_unlock(&lock_); }
void SharedMutex::lock_shared() { pthread_rwlock_rdlock(&lock_); }

}  // namespace manyarms
