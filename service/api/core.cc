#include "service/api/core.h"

#include <utility>

#include "service/api/http_error.h"
#include "service/api/json_output.h"

namespace manyarms::service {

void Core::SetServer(http::Server* server) {
  const std::scoped_lock lock(mutex_);
  server_ = server;
}

void Core::OnWorker(std::function<void()> work, http::Pool pool) {
  const std::scoped_lock lock(mutex_);
  if (server_ != nullptr) server_->OnWorker(std::move(work), pool);
}

http::ServerStats Core::server_stats() const {
  const std::scoped_lock lock(mutex_);
  return server_ != nullptr ? server_->stats() : http::ServerStats();
}

void Core::Answered(std::size_t route, unsigned status, double seconds,
                    const std::string& failure, const std::string& bandit) {
  counts.Add(route, status, seconds);
  const bool refused = Refusals::Counts(status);
  const bool slow = seconds >= options.slow_seconds;
  if (!slow && !refused && status < 500) return;
  const std::string name =
      route < Routes().size() ? Routes()[route].short_name() : "other";
  if (refused) return refusals.Add(status, name, failure);
  if (slow) history.AddSlow({SystemTime(), name, status, seconds});
  log.Write(slow ? "slow" : "failed", [&](JsonOutput& line) {
    line.Field("route", name)
        .Field("status", std::uint64_t{status})
        .Field("seconds", seconds);
    if (!bandit.empty()) line.Field("bandit", Shortened(bandit));
    if (!failure.empty()) line.Field("reason", failure);
  });
}

}  // namespace manyarms::service
