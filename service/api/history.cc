#include "service/api/history.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "service/api/json_output.h"

namespace manyarms::service {
namespace {

template <class Row>
void PushWithin(std::deque<Row>& rows, Row row, std::size_t most) {
  rows.push_back(std::move(row));
  if (rows.size() > most) rows.pop_front();
}

}  // namespace

History::BanditSums History::SumsOf(const ServedBandit& bandit) {
  const BanditStats stats = bandit.stats();
  return {.choices = static_cast<double>(stats.choices),
          .rewards = static_cast<double>(stats.rewards),
          .reward_sum = stats.policy.sum + stats.uniform.sum};
}

void History::Tick(Time now, const RouteCounts& all,
                   const std::vector<std::shared_ptr<ServedBandit>>& bandits) {
  std::map<BanditNumber, BanditSums> sums;
  for (const auto& bandit : bandits) {
    sums.emplace(bandit->number(), SumsOf(*bandit));
  }
  const std::scoped_lock lock(mutex_);
  end_ = std::floor(now);
  LatencyCounts latency = all.latency;
  latency -= last_.latency;
  PushWithin(
      seconds_,
      {.requests = static_cast<double>(all.requests() - last_.requests()),
       .errors = static_cast<double>(all.errors() - last_.errors()),
       .p50 = latency.Quantile(0.5),
       .p99 = latency.Quantile(0.99)},
      kSeconds);
  last_ = all;
  std::erase_if(bandits_,
                [&](const auto& known) { return !sums.contains(known.first); });
  for (const auto& [number, now_sums] : sums) {
    BanditHistory& history = bandits_[number];
    PushWithin(history.seconds,
               {.choices = now_sums.choices - history.last.choices,
                .rewards = now_sums.rewards - history.last.rewards,
                .reward_sum = now_sums.reward_sum - history.last.reward_sum},
               kSeconds);
    history.last = now_sums;
  }
}

void History::AddSlow(Slow request) {
  const std::scoped_lock lock(mutex_);
  slow_.push_front(std::move(request));
  if (slow_.size() > kSlow) slow_.pop_back();
}

void History::WriteSlow(JsonOutput& output) const {
  const std::scoped_lock lock(mutex_);
  output.Open('[');
  for (const Slow& request : slow_) {
    output.Open('{')
        .Field("time", request.time)
        .Field("route", request.route)
        .Field("status", std::uint64_t{request.status})
        .Field("seconds", request.seconds)
        .Close('}');
  }
  output.Close(']');
}

template <class Row, class Value>
void History::WriteColumn(const char* name, const std::deque<Row>& rows,
                          const Value& value, JsonOutput& output) {
  output.Name(name).Open('[');
  for (const Row& row : rows) output.Value(row.*value);
  output.Close(']');
}

void History::WriteHistory(JsonOutput& output) const {
  const std::scoped_lock lock(mutex_);
  output.Open('{').Field("step", std::uint64_t{1}).Field("end", end_);
  WriteColumn("requests", seconds_, &Second::requests, output);
  WriteColumn("errors", seconds_, &Second::errors, output);
  WriteColumn("p50", seconds_, &Second::p50, output);
  WriteColumn("p99", seconds_, &Second::p99, output);
  output.Close('}');
}

void History::WriteBandit(BanditNumber bandit, JsonOutput& output) const {
  static const std::deque<BanditSums> none;
  const std::scoped_lock lock(mutex_);
  const auto found = bandits_.find(bandit);
  const std::deque<BanditSums>& rows =
      found == bandits_.end() ? none : found->second.seconds;
  output.Open('{');
  WriteColumn("choices", rows, &BanditSums::choices, output);
  WriteColumn("rewards", rows, &BanditSums::rewards, output);
  WriteColumn("reward_sum", rows, &BanditSums::reward_sum, output);
  output.Close('}');
}

}  // namespace manyarms::service
