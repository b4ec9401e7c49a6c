#include "service/http/server.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "manyarms/error.h"
#include "service/http/listener.h"
#include "service/http/workers.h"

namespace manyarms::http {
namespace {

constexpr std::size_t kShortWorkers = 4;
constexpr std::size_t kLongWorkers = 2;

// Often enough for the shortest time that a client has.
double LookSeconds(const ServerOptions& options) {
  const double shortest =
      std::min({options.head_seconds, options.body_seconds,
                options.write_seconds, options.idle_seconds});
  return std::clamp(shortest / 8, 0.01, 0.25);
}

std::vector<std::shared_ptr<Loop>> MakeLoops(const ServerOptions& options) {
  const unsigned count =
      options.threads > 0 ? options.threads
                          : std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::shared_ptr<Loop>> loops;
  loops.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    loops.push_back(std::make_shared<Loop>(LookSeconds(options)));
  }
  return loops;
}

std::shared_ptr<TlsContext> MakeContext(const ServerOptions& options) {
  if (options.certificate.empty() && options.key.empty()) return nullptr;
  if (options.certificate.empty() || options.key.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "TLS needs both a certificate and a key");
  }
  return MakeTlsContext(options.certificate, options.key);
}

}  // namespace

class Server::State {
 public:
  State(const ServerOptions& options, Admit admit, Handler handler)
      : setup_{options, std::move(admit), std::move(handler),
               std::make_shared<BodyBudget>(options.most_body_bytes)},
        loops_(MakeLoops(options)),
        listener_(setup_, loops_, MakeContext(options)),
        short_workers_(kShortWorkers),
        long_workers_(kLongWorkers) {
    listener_.Start();
    try {
      for (const auto& loop : loops_) loop->Start();
    } catch (...) {
      // Those that run use the listener, which is destroyed before them.
      for (const auto& loop : loops_) loop->End();
      throw;
    }
  }
  ~State() { Stop(0); }

  const Listener& listener() const { return listener_; }
  Workers& workers(Pool pool) {
    return pool == Pool::kShort ? short_workers_ : long_workers_;
  }

  void Reload() {
    if (auto context = MakeContext(setup_.options)) {
      listener_.SetContext(std::move(context));
    }
  }

  void Stop(double seconds) {
    const std::scoped_lock lock(stop_);
    if (std::exchange(stopped_, true)) return;
    listener_.Stop();
    for (const auto& loop : loops_) loop->Finish();
    const auto deadline = Clock::now() + Seconds(seconds);
    while (listener_.connections() > 0 && Clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    for (const auto& loop : loops_) loop->End();
  }

  ServerStats stats() const {
    ServerStats stats;
    stats.connections = listener_.connections();
    stats.accepted = listener_.accepted();
    stats.refused = listener_.refused();
    stats.body_bytes = setup_.body_budget->used();
    for (const auto& loop : loops_) {
      const Counters& counters = loop->counters();
      stats.timed_out += counters.timed_out.value();
      stats.malformed += counters.malformed.value();
      stats.bytes_in += counters.bytes_in.value();
      stats.bytes_out += counters.bytes_out.value();
    }
    return stats;
  }

 private:
  const Setup setup_;
  const std::vector<std::shared_ptr<Loop>> loops_;
  Listener listener_;
  std::mutex stop_;
  bool stopped_ = false;
  Workers short_workers_;
  Workers long_workers_;
};

Server::Server(const ServerOptions& options, Admit admit, Handler handler)
    : state_(std::make_unique<State>(options, std::move(admit),
                                     std::move(handler))) {}

Server::~Server() = default;

std::uint16_t Server::port() const { return state_->listener().port(); }

void Server::OnWorker(std::function<void()> work, Pool pool) {
  state_->workers(pool).Do(std::move(work));
}

void Server::ReloadCertificate() { state_->Reload(); }

void Server::Stop(double seconds) { state_->Stop(seconds); }

ServerStats Server::stats() const { return state_->stats(); }

}  // namespace manyarms::http
