#ifndef MANYARMS_SERVICE_API_HISTORY_H_
#define MANYARMS_SERVICE_API_HISTORY_H_

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "service/api/request_counts.h"
#include "service/engine/engine.h"

namespace manyarms::service {

class JsonOutput;

/// What happened in each of the last 300 seconds, for the page. Somebody calls
/// Tick once a second.
///
/// Thread safety: any thread may call any method.
class History {
 public:
  static constexpr std::size_t kSeconds = 300;
  static constexpr std::size_t kSlow = 20;

  /// `all` is what was requested since the start, of all routes together.
  void Tick(Time now, const RouteCounts& all,
            const std::vector<std::shared_ptr<ServedBandit>>& bandits);

  struct Slow {
    Time time = 0;
    std::string route;
    unsigned status = 0;
    double seconds = 0;
  };
  void AddSlow(Slow request);

  /// Writes the values of the fields "slow" and "history" of /v1/live.
  void WriteSlow(JsonOutput& output) const;
  void WriteHistory(JsonOutput& output) const;
  /// Writes the "history" of a bandit.
  void WriteBandit(BanditNumber bandit, JsonOutput& output) const;

 private:
  struct Second {
    double requests = 0;
    double errors = 0;
    std::optional<double> p50;
    std::optional<double> p99;
  };
  struct BanditSums {
    double choices = 0;
    double rewards = 0;
    double reward_sum = 0;
  };
  struct BanditHistory {
    BanditSums last;
    std::deque<BanditSums> seconds;
  };
  static BanditSums SumsOf(const ServedBandit& bandit);
  template <class Row, class Value>
  static void WriteColumn(const char* name, const std::deque<Row>& rows,
                          const Value& value, JsonOutput& output);

  mutable std::mutex mutex_;
  Time end_ = 0;
  RouteCounts last_;
  std::deque<Second> seconds_;
  std::map<BanditNumber, BanditHistory> bandits_;
  std::deque<Slow> slow_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_HISTORY_H_
