#ifndef MANYARMS_SERVICE_STORE_READ_AHEAD_H_
#define MANYARMS_SERVICE_STORE_READ_AHEAD_H_

#include <functional>
#include <future>
#include <utility>

namespace manyarms::service {

/// Calls use(row) with all rows of the pages that read() returns, until one is
/// empty. Another thread, if the system has one, reads the next page while the
/// rows of this one are used. Throws what either throws, when nothing is read
/// any more.
template <class Read, class Use>
void ReadAhead(Read read, const Use& use) {
  for (auto page = read(); !page.empty();) {
    auto next = std::async(std::ref(read));
    for (auto& row : page) use(std::move(row));
    page = next.get();
  }
}

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_STORE_READ_AHEAD_H_
