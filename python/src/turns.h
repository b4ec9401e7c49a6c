#ifndef MANYARMS_PYTHON_TURNS_H_
#define MANYARMS_PYTHON_TURNS_H_

#include <nanobind/nanobind.h>

#include <mutex>
#include <shared_mutex>

#include "fair_mutex.h"

namespace manyarms::python {

/// The lock of an object that threads share: changes take turns, and readers
/// wait for changes that came before them. What takes microseconds may keep the
/// interpreter (Python's GIL); what may take longer is done aside, and must not
/// touch Python's objects.
///
/// A thread that waits for the lock does not hold the interpreter, so that the
/// two cannot deadlock. Short work keeps the interpreter if the lock is free:
/// after releasing it, a thread may wait milliseconds to get it back.
class Turns {
 public:
  template <class Work>
  auto Change(const Work& work) {
    if (const std::unique_lock lock(mutex_, std::try_to_lock); lock) {
      return work();
    }
    return ChangeAside(work);
  }

  template <class Work>
  auto ChangeAside(const Work& work) {
    const nanobind::gil_scoped_release release;
    const std::unique_lock lock(mutex_);
    return work();
  }

  template <class Work>
  auto Read(const Work& work) const {
    if (const std::shared_lock lock(mutex_, std::try_to_lock); lock) {
      return work();
    }
    return ReadAside(work);
  }

  template <class Work>
  auto ReadAside(const Work& work) const {
    const nanobind::gil_scoped_release release;
    const std::shared_lock lock(mutex_);
    return work();
  }

 private:
  mutable FairMutex mutex_{LockLevel::kCaller};
};

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_TURNS_H_
