#ifndef MANYARMS_SERVICE_API_REFUSALS_H_
#define MANYARMS_SERVICE_API_REFUSALS_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "service/api/event_log.h"

namespace manyarms::service {

/// Requests that were refused, of which a line a second says how many: whoever
/// sends many must not fill the log. Somebody calls WriteTo once a second.
///
/// Thread safety: any thread may call any method.
class Refusals {
 public:
  static bool Counts(unsigned status) {
    return status == 401 || status == 403 || status == 503;
  }

  void Add(unsigned status, const std::string& route,
           const std::string& reason) {
    const std::scoped_lock lock(mutex_);
    Sum& sum = sums_[status];
    ++sum.count;
    if (sum.count > 1) return;
    sum.route = route;
    sum.reason = reason;
  }

  /// A line for each status, with the first of its requests.
  void WriteTo(const EventLog& log) {
    std::map<unsigned, Sum> sums;
    {
      const std::scoped_lock lock(mutex_);
      sums = std::exchange(sums_, {});
    }
    for (const auto& [status, sum] : sums) {
      log.Write("refused",
                [status = std::uint64_t{status}, &sum = sum](JsonOutput& line) {
                  line.Field("status", status)
                      .Field("count", sum.count)
                      .Field("route", sum.route)
                      .Field("reason", sum.reason);
                });
    }
  }

 private:
  struct Sum {
    std::uint64_t count = 0;
    std::string route;
    std::string reason;
  };
  std::mutex mutex_;
  std::map<unsigned, Sum> sums_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_REFUSALS_H_
