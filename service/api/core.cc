#include "service/api/core.h"

#include <utility>

#include "service/api/json_output.h"

namespace manyarms::service {

void Core::SetServer(http::Server* server) {
  const std::scoped_lock lock(mutex_);
  server_ = server;
}

void Core::OnWorker(std::function<void()> work) {
  const std::scoped_lock lock(mutex_);
  if (server_ != nullptr) server_->OnWorker(std::move(work));
}

http::ServerStats Core::server_stats() const {
  const std::scoped_lock lock(mutex_);
  return server_ != nullptr ? server_->stats() : http::ServerStats();
}

void Core::Answered(std::size_t route, unsigned status, double seconds,
                    const std::string& failure) {
  counts.Add(route, status, seconds);
  const bool slow = seconds >= options.slow_seconds;
  if (!slow && status < 500) return;
  const std::string name =
      route < Routes().size() ? Routes()[route].short_name() : "other";
  if (slow) history.AddSlow({SystemTime(), name, status, seconds});
  log.Write(slow ? "slow" : "failed", [&](JsonOutput& line) {
    line.Field("route", name)
        .Field("status", std::uint64_t{status})
        .Field("seconds", seconds);
    if (!failure.empty()) line.Field("reason", failure);
  });
}

}  // namespace manyarms::service
