#ifndef MANYARMS_SERVICE_API_CORE_H_
#define MANYARMS_SERVICE_API_CORE_H_

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "service/api/event_log.h"
#include "service/api/history.h"
#include "service/api/refusals.h"
#include "service/api/request_counts.h"
#include "service/api/router.h"
#include "service/api/service.h"
#include "service/api/tokens.h"

namespace manyarms::service {

enum class Phase : std::uint8_t { kStarting, kReady, kStopping };

/// What all requests of a service share. Engine and store are there once the
/// phase is not kStarting any more.
class Core {
 public:
  explicit Core(const ServiceOptions& given)
      : options(given),
        log(given.log),
        started(SystemTime()),
        // One more for requests that fit no route.
        counts(Routes().size() + 1),
        tokens_(std::make_shared<const Tokens>()) {}

  const ServiceOptions options;
  const EventLog log;
  const Time started;
  RequestCounts counts;
  History history;
  Refusals refusals;
  std::atomic<Phase> phase = Phase::kStarting;
  std::atomic<int> bulk_bodies = 0;  ///< bodies of POST arms that are received
  std::atomic<bool> evaluating = false;
  Store* store = nullptr;
  Engine* engine = nullptr;

  std::shared_ptr<const Tokens> tokens() const {
    const std::scoped_lock lock(mutex_);
    return tokens_;
  }
  void SetTokens(Tokens tokens) {
    auto shared = std::make_shared<const Tokens>(std::move(tokens));
    const std::scoped_lock lock(mutex_);
    tokens_ = std::move(shared);
  }

  /// Work is dropped while there is no server, which answers its request.
  void SetServer(http::Server* server);
  void OnWorker(std::function<void()> work, http::Pool pool);
  http::ServerStats server_stats() const;

  /// Counts a request that was answered, and logs it if it was slow or failed.
  /// `bandit` may be empty.
  void Answered(std::size_t route, unsigned status, double seconds,
                const std::string& failure, const std::string& bandit = {});

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Tokens> tokens_;
  http::Server* server_ = nullptr;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_CORE_H_
