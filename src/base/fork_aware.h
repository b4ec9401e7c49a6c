#ifndef MANYARMS_BASE_FORK_AWARE_H_
#define MANYARMS_BASE_FORK_AWARE_H_

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace manyarms {

/// The order in which threads take locks, and in which a fork takes all of
/// them. A thread holds at most one lock of each level.
enum class LockLevel : std::uint8_t {
  kCaller,    ///< of callers, such as a bandit in Python
  kChanges,   ///< changes of a population's arms
  kLearners,  ///< of a population
  kArms,
  kIndex,  ///< and whatever else is held for a moment
};

/// What forks do with a lock. A class of locks implements this, and
/// ForkAware<Lock> makes its objects known to forks.
class ForkHandlers {
 public:
  ForkHandlers(const ForkHandlers&) = delete;
  ForkHandlers& operator=(const ForkHandlers&) = delete;

 protected:
  ForkHandlers() = default;
  ~ForkHandlers() = default;

 private:
  friend class ForkRegistry;
  template <std::derived_from<ForkHandlers> Lock>
  friend class ForkAware;

  void Register(LockLevel level);
  void Unregister(LockLevel level);

  virtual void LockBeforeFork() = 0;
  virtual void UnlockInParent() = 0;
  /// In the child no other thread exists, and nobody waits.
  virtual void UnlockInChild() = 0;
};

/// A lock that threads hold now and then, and that forks know. A child that is
/// forked while another thread holds a lock would wait for that thread for
/// ever, and would find what the lock guards half changed. So before a fork all
/// locks of this kind are taken, and afterwards both processes release them.
///
/// Forks know a `Lock` from the end of its construction to the beginning of its
/// destruction: nothing is derived from this class, and its own constructor
/// runs last and its own destructor first. The constructor of a `Lock` is
/// protected, so that there are none which forks do not know.
///
/// A thread that forks, or that makes or destroys one of these, must hold none
/// of them.
template <std::derived_from<ForkHandlers> Lock>
class ForkAware final : public Lock {
  static_assert(!std::is_default_constructible_v<Lock>,
                "the constructor of a lock must be protected");

 public:
  explicit ForkAware(LockLevel level) : level_(level) {
    this->Register(level_);
  }
  ~ForkAware() { this->Unregister(level_); }

 private:
  const LockLevel level_;
};

/// The number of forks between the first process and this one. Work that was
/// given to threads of an earlier generation will never be done.
std::uint64_t ForkGeneration();

}  // namespace manyarms

#endif  // MANYARMS_BASE_FORK_AWARE_H_
