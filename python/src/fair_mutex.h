#ifndef MANYARMS_PYTHON_FAIR_MUTEX_H_
#define MANYARMS_PYTHON_FAIR_MUTEX_H_

#include <mutex>
#include <shared_mutex>

namespace manyarms::python {

/// A shared mutex at which readers do not keep a writer out: whoever waits for
/// it keeps those who come later waiting as well. With std::shared_mutex alone
/// readers that follow one another closely do.
class FairMutex {
 public:
  void lock() {
    const std::scoped_lock gate(gate_);
    mutex_.lock();
  }
  bool try_lock() {
    const std::unique_lock gate(gate_, std::try_to_lock);
    return gate.owns_lock() && mutex_.try_lock();
  }
  void unlock() { mutex_.unlock(); }

  void lock_shared() {
    const std::scoped_lock gate(gate_);
    mutex_.lock_shared();
  }
  bool try_lock_shared() {
    const std::unique_lock gate(gate_, std::try_to_lock);
    return gate.owns_lock() && mutex_.try_lock_shared();
  }
  void unlock_shared() { mutex_.unlock_shared(); }

 private:
  std::mutex gate_;  // held while waiting
  std::shared_mutex mutex_;
};

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_FAIR_MUTEX_H_
