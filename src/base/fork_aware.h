#ifndef MANYARMS_BASE_FORK_AWARE_H_
#define MANYARMS_BASE_FORK_AWARE_H_

#include <cstdint>

namespace manyarms {

/// Something with a lock that threads hold now and then. A child that is forked
/// while another thread holds such a lock would wait for that thread for ever,
/// and would find what the lock guards half changed. So before a fork all of
/// these locks are taken, and afterwards both processes release them.
///
/// A thread that forks, or that makes or destroys one of these, must hold none
/// of the locks.
class ForkAware {
 public:
  /// The order in which threads take locks, and in which a fork takes all of
  /// them.
  enum class Level : std::uint8_t { kCaller, kArms, kIndex };

  ForkAware(const ForkAware&) = delete;
  ForkAware& operator=(const ForkAware&) = delete;

 protected:
  explicit ForkAware(Level level);
  ~ForkAware();

 private:
  friend class ForkRegistry;

  virtual void LockBeforeFork() = 0;
  virtual void UnlockInParent() = 0;
  /// In the child no other thread exists, and nobody waits.
  virtual void UnlockInChild() = 0;

  Level level_;
};

/// The number of forks between the first process and this one. Work that was
/// given to threads of an earlier generation will never be done.
std::uint64_t ForkGeneration();

}  // namespace manyarms

#endif  // MANYARMS_BASE_FORK_AWARE_H_
