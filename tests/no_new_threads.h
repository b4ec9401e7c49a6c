#ifndef MANYARMS_TESTS_NO_NEW_THREADS_H_
#define MANYARMS_TESTS_NO_NEW_THREADS_H_

#include <gtest/gtest.h>
#include <pthread.h>

#include <system_error>
#include <thread>

namespace manyarms::testing {

/// While this object lives, the system starts no thread: each would get a stack
/// that is larger than the address space. (A limit on the number of threads
/// does not apply to root, and a limit on memory does not work with
/// sanitizers.)
class NoNewThreads {
 public:
  NoNewThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    pthread_getattr_default_np(&huge);
    pthread_attr_setstacksize(&huge, std::size_t{1} << 48);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
    EXPECT_THROW(std::thread([] {}).join(), std::system_error);
  }
  ~NoNewThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoNewThreads(const NoNewThreads&) = delete;
  NoNewThreads& operator=(const NoNewThreads&) = delete;

 private:
  pthread_attr_t before_{};
};

}  // namespace manyarms::testing

#endif  // MANYARMS_TESTS_NO_NEW_THREADS_H_
