#include "service/store/waiters.h"

#include <algorithm>
#include <utility>

namespace manyarms::service {

void Waiters::Add(Sequence change, Done done) {
  heap_.push_back({change, std::move(done)});
  std::ranges::push_heap(heap_, IsLater);
}

void Waiters::Take(Sequence durable, std::vector<Done>& taken) {
  while (!heap_.empty() && heap_.front().change <= durable) {
    std::ranges::pop_heap(heap_, IsLater);
    taken.push_back(std::move(heap_.back().done));
    heap_.pop_back();
  }
}

void Waiters::TakeAll(std::vector<Done>& taken) {
  for (Waiter& waiter : heap_) taken.push_back(std::move(waiter.done));
  heap_.clear();
}

}  // namespace manyarms::service
