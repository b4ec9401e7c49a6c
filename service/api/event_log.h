#ifndef MANYARMS_SERVICE_API_EVENT_LOG_H_
#define MANYARMS_SERVICE_API_EVENT_LOG_H_

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "service/api/json_output.h"
#include "service/store/changes.h"

namespace manyarms::service {

/// Seconds since 1970.
Time SystemTime();

/// What happens, as JSON objects with a time and the name of the event.
class EventLog {
 public:
  explicit EventLog(std::function<void(const std::string&)> write)
      : write_(std::move(write)) {}

  /// add(output) writes more fields.
  template <class Add>
  void Write(std::string_view event, const Add& add) const {
    if (!write_) return;
    JsonOutput line;
    line.Open('{').Field("time", SystemTime()).Field("event", event);
    add(line);
    write_(line.Close('}').Take());
  }
  void Write(std::string_view event) const {
    Write(event, [](JsonOutput&) {});
  }

 private:
  std::function<void(const std::string&)> write_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_EVENT_LOG_H_
