#ifndef MANYARMS_SERVICE_API_CALL_H_
#define MANYARMS_SERVICE_API_CALL_H_

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "service/api/core.h"
#include "service/api/json_output.h"
#include "service/api/router.h"
#include "service/api/url.h"
#include "service/http/server.h"

namespace manyarms::service {

/// A request that a route answers, once. It may go from thread to thread, but
/// one at a time uses it.
class Call : public std::enable_shared_from_this<Call> {
 public:
  Call(Core& core, Match match, http::Request request, http::Reply reply);

  Core& core() { return core_; }
  Engine& engine() { return *core_.engine; }
  const std::string& argument(std::size_t i) { return match_.arguments[i]; }
  /// The body; {} if there is none, and there need not be.
  std::string_view body() const;
  const http::Head& head() const { return request_.head; }
  http::BodySink* sink() { return request_.sink.get(); }
  Query& query();

  /// The bandit that the first argument names. Throws Refused(kNotFound).
  ServedBandit& bandit();
  /// The arm that the second argument names.
  ArmName arm();

  void Send(http::Response response);
  void SendJson(JsonOutput& json, unsigned status = 200);
  void Fail(const std::exception_ptr& error);

  /// An answer in lines, which the client gets one by one. Only on a worker.
  void Begin(const std::string& content_type);
  bool Piece(std::string piece);  ///< false: the client is gone
  void End();

  /// Runs handle(*this), and answers what it throws.
  template <class Handle>
  void Guarded(const Handle& handle) {
    try {
      handle(*this);
    } catch (...) {
      Fail(std::current_exception());
    }
  }

  /// The same on a thread that may wait, of those that the route has. If bodies
  /// and answers have all memory that they may have when the turn comes, the
  /// answer is 503.
  void OnWorker(std::function<void(Call&)> handle);

  /// Sends it once the change is durable, or the reason why it is not.
  void SendWhenDurable(Sequence change, http::Response response);
  /// Goes on, on a worker, once the change is durable.
  void WhenDurable(Sequence change, std::function<void(Call&)> handle);

 private:
  using Clock = std::chrono::steady_clock;
  void GoOnOnWorker(std::function<void(Call&)> handle);
  void Done(unsigned status, const std::string& failure);
  [[noreturn]] void FailForStore() const;

  Core& core_;
  Match match_;
  http::Request request_;
  http::Reply reply_;
  Clock::time_point begun_ = Clock::now();
  std::optional<Query> query_;
  std::shared_ptr<ServedBandit> bandit_;
  bool begun_answer_ = false;
  bool answered_ = false;
};

/// A response of status 200 with this JSON.
http::Response JsonResponse(JsonOutput& json, unsigned status = 200);

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_CALL_H_
