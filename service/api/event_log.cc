#include "service/api/event_log.h"

#include <chrono>

namespace manyarms::service {

Time SystemTime() {
  return std::chrono::duration<double>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace manyarms::service
