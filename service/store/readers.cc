#include "service/store/readers.h"

namespace manyarms::service {

Readers::Place::Place(Readers& readers) : readers_(readers) {
  std::unique_lock lock(readers_.mutex_);
  readers_.freed_.wait(lock, [&] { return readers_.used_ < kMost; });
  ++readers_.used_;
}

Readers::Place::~Place() {
  {
    const std::scoped_lock lock(readers_.mutex_);
    --readers_.used_;
  }
  readers_.freed_.notify_one();
}

std::unique_ptr<Reader> Readers::TakeIdle() {
  const std::scoped_lock lock(mutex_);
  if (idle_.empty()) return nullptr;
  auto reader = std::move(idle_.back());
  idle_.pop_back();
  return reader;
}

void Readers::DropIdle() {
  std::vector<std::unique_ptr<Reader>> dropped;
  const std::scoped_lock lock(mutex_);
  dropped.swap(idle_);
}

}  // namespace manyarms::service
