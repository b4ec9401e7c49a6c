#ifndef MANYARMS_SERVICE_STORE_WAITERS_H_
#define MANYARMS_SERVICE_STORE_WAITERS_H_

#include <functional>
#include <vector>

#include "service/store/changes.h"

namespace manyarms::service {

/// Those who wait until changes are durable, first those who wait for the
/// earliest.
class Waiters {
 public:
  using Done = std::function<void(bool)>;

  void Add(Sequence change, Done done);

  /// Moves those who wait for changes up to this one to the end of `taken`.
  void Take(Sequence durable, std::vector<Done>& taken);
  void TakeAll(std::vector<Done>& taken);

 private:
  struct Waiter {
    Sequence change;
    Done done;
  };
  static bool IsLater(const Waiter& a, const Waiter& b) {
    return a.change > b.change;
  }

  std::vector<Waiter> heap_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_STORE_WAITERS_H_
