#include "service/api/service.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "manyarms/error.h"
#include "manyarms/version.h"
#include "service/api/core.h"
#include "service/api/gate.h"
#include "service/api/json_output.h"
#include "service/api/live.h"

namespace manyarms::service {
namespace {

Tokens CheckedTokens(const ServiceOptions& options) {
  Tokens tokens = ReadTokens(options.tokens_file);
  if (tokens.empty() && !IsLoopback(options.server.address)) {
    throw Error(ErrorCode::kInvalidArgument,
                "without tokens the address must be 127.x.x.x, ::1 or "
                "localhost, so that nobody else can reach the service; it is " +
                    options.server.address);
  }
  if (!tokens.empty() && !options.own_token.empty()) {
    tokens.Add(Role::kAdmin, options.own_token);
  }
  return tokens;
}

// Calls something once a second, on a thread of its own.
class EverySecond {
 public:
  explicit EverySecond(std::function<void()> work)
      : thread_([this, work = std::move(work)] { Run(work); }) {}
  ~EverySecond() {
    {
      const std::scoped_lock lock(mutex_);
      ending_ = true;
    }
    end_.notify_all();
    thread_.join();
  }
  EverySecond(const EverySecond&) = delete;
  EverySecond& operator=(const EverySecond&) = delete;

 private:
  void Run(const std::function<void()>& work) {
    auto next = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    for (;;) {
      next += std::chrono::seconds(1);
      if (end_.wait_until(lock, next, [this] { return ending_; })) return;
      lock.unlock();
      work();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable end_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace

class Service::State {
 public:
  explicit State(const ServiceOptions& options) : core_(options) {
    core_.SetTokens(CheckedTokens(options));
    WarnOfTokens();
    server_ = std::make_unique<http::Server>(
        options.server,
        [this](const http::Head& head) { return AdmitRequest(core_, head); },
        [this](http::Request request, http::Reply reply) {
          Dispatch(core_, std::move(request), std::move(reply));
        });
    core_.SetServer(server_.get());
    StoreOptions store = options.store;
    store.tells_numbers_early = options.durability == Durability::kRelaxed;
    store_ = std::make_unique<Store>(store);
    engine_ =
        std::make_unique<Engine>(*store_, options.engine, options.progress);
    core_.store = store_.get();
    core_.engine = engine_.get();
    core_.phase = Phase::kReady;
    core_.log.Write("start", [this](JsonOutput& line) {
      const ServiceOptions& given = core_.options;
      line.Field("version", kVersion)
          .Field("address", given.server.address)
          .Field("port", std::uint64_t{server_->port()})
          .Field("data", PlaceOf(given.store.place))
          .Field("durability",
                 given.durability == Durability::kFull ? "full" : "relaxed");
    });
    ticker_.emplace([this] {
      NoteStore();
      core_.refusals.WriteTo(core_.log);
      core_.history.Tick(SystemTime(), AllCounts(core_), engine_->Bandits());
    });
  }
  ~State() { Stop(0); }

  // Whatever uses the engine ends before the engine does. The store ends last:
  // it answers what it still has, and those answers find no server.
  void Stop(double seconds) {
    const std::scoped_lock lock(stop_);
    if (!server_) return;
    core_.phase = Phase::kStopping;
    core_.log.Write("stopping");
    server_->Stop(seconds);
    ticker_.reset();
    port_ = server_->port();
    core_.SetServer(nullptr);
    server_.reset();
    engine_.reset();
    failure_ = FailureOfStore();
    taken_over_ = store_->taken_over();
    store_.reset();
    core_.refusals.WriteTo(core_.log);
    core_.log.Write("stop", [this](JsonOutput& line) {
      if (!failure_.empty()) line.Field("reason", failure_);
    });
  }

  void ReloadTokens() {
    try {
      // Both are read before one is used.
      Tokens tokens = CheckedTokens(core_.options);
      server_->ReloadCertificate();
      core_.SetTokens(std::move(tokens));
      WarnOfTokens();
    } catch (const Error& error) {
      core_.log.Write("reload_failed", [&](JsonOutput& line) {
        line.Field("reason", error.what());
      });
      throw;
    }
    core_.log.Write("reload", [this](JsonOutput& line) {
      line.Field("tokens", std::uint64_t{core_.tokens()->size()});
    });
  }

  std::uint16_t port() const { return server_ ? server_->port() : port_; }
  Engine& engine() { return *engine_; }

  std::string failure() const { return store_ ? FailureOfStore() : failure_; }
  bool taken_over() const {
    return store_ ? store_->taken_over() : taken_over_;
  }

 private:
  std::string FailureOfStore() const {
    return store_->failed_for_good() ? store_->failure() : std::string();
  }

  // Says when the store cannot write any more, and when it can again.
  void NoteStore() {
    const std::string reason = store_->failure();
    if (reason.empty() == !store_failed_) return;
    store_failed_ = !reason.empty();
    core_.log.Write(store_failed_ ? "store_cannot_write" : "store_writes_again",
                    [&](JsonOutput& line) {
                      if (store_failed_) line.Field("reason", reason);
                    });
  }

  void WarnOfTokens() const {
    const http::ServerOptions& server = core_.options.server;
    if (!core_.tokens()->empty() && server.certificate.empty() &&
        !IsLoopback(server.address)) {
      core_.log.Write("tokens_without_tls", [&](JsonOutput& line) {
        line.Field("address", server.address)
            .Field("reason",
                   "tokens cross the network as plain text: give "
                   "--certificate and --key, or let a proxy on this machine "
                   "do TLS");
      });
    }
    const std::string& file = core_.options.tokens_file;
    if (file.empty() || !IsReadableByAll(file)) return;
    core_.log.Write("tokens_readable_by_all",
                    [&](JsonOutput& line) { line.Field("file", file); });
  }

  Core core_;
  std::mutex stop_;
  std::uint16_t port_ = 0;
  std::string failure_;
  bool taken_over_ = false;
  bool store_failed_ = false;  // when the ticker looked last
  std::unique_ptr<Store> store_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<http::Server> server_;
  std::optional<EverySecond> ticker_;
};

Service::Service(const ServiceOptions& options)
    : state_(std::make_unique<State>(options)) {}

Service::~Service() = default;

std::uint16_t Service::port() const { return state_->port(); }

Engine& Service::engine() { return state_->engine(); }

void Service::ReloadTokens() { state_->ReloadTokens(); }

void Service::Stop(double seconds) { state_->Stop(seconds); }

std::string Service::failure() const { return state_->failure(); }

bool Service::taken_over() const { return state_->taken_over(); }

}  // namespace manyarms::service
