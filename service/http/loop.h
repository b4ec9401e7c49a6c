#ifndef MANYARMS_SERVICE_HTTP_LOOP_H_
#define MANYARMS_SERVICE_HTTP_LOOP_H_

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "service/http/deadline.h"
#include "service/http/server.h"

namespace manyarms::http {

using Executor = boost::asio::io_context::executor_type;
/// With the executor's own type, so that nothing is allocated to hide it.
using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;
using Timer =
    boost::asio::basic_waitable_timer<Clock, boost::asio::wait_traits<Clock>,
                                      Executor>;

/// A number that one thread adds to and others read.
class Counter {
 public:
  void Add(std::uint64_t count) {
    value_.store(value_.load(std::memory_order_relaxed) + count,
                 std::memory_order_relaxed);
  }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// Of one loop.
struct Counters {
  Counter timed_out;
  Counter malformed;
  Counter bytes_in;
  Counter bytes_out;
};

/// What a loop looks after: a connection. All methods are called on its thread.
class Watched {
 public:
  virtual ~Watched() = default;
  /// Now and then. `lost` is how long the loop did not get to look.
  virtual void Look(Clock::time_point now, Clock::duration lost) = 0;
  /// No more requests are wanted.
  virtual void Finish() = 0;
  /// Closes at once.
  virtual void Cut() = 0;
  /// The answer to its request.
  virtual void Receive(Response& response) = 0;
  /// A number that the loop keeps here.
  virtual std::size_t& Place() = 0;
};

/// A thread with its connections.
class Loop {
 public:
  /// Looks at the connections at regular intervals.
  explicit Loop(double look_seconds);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  Executor executor() { return context_.get_executor(); }
  bool OnThread() { return context_.get_executor().running_in_this_thread(); }

  /// Does `work` on the thread of the loop, later. Returns false, and does
  /// nothing, if the loop has ended.
  template <class Work>
  bool Post(Work&& work) {
    const std::scoped_lock lock(gate_);
    if (ended_) return false;
    boost::asio::post(context_, std::forward<Work>(work));
    return true;
  }

  /// Calls Receive on the thread of the loop, unless that has ended. Of the
  /// answers that many threads deliver, or one thread in a row, the loop gets
  /// to know once.
  void Deliver(std::shared_ptr<Watched> to, Response response);

  /// On the loop's thread only. The loop keeps what is added until it is
  /// removed, whatever fails meanwhile.
  void Add(std::shared_ptr<Watched> watched);
  void Remove(Watched& watched);

  /// Connections are counted when they are given to the loop, which is earlier
  /// than Add.
  void CountConnection() {
    connections_.fetch_add(1, std::memory_order_relaxed);
  }
  /// If it cannot be given.
  void UncountConnection() {
    connections_.fetch_sub(1, std::memory_order_relaxed);
  }
  std::size_t connections() const {
    return connections_.load(std::memory_order_relaxed);
  }

  /// Whether requests in progress are the last.
  bool finishing() const { return finishing_; }
  Counters& counters() { return counters_; }
  const Counters& counters() const { return counters_; }

  /// Is called after each look. Set it before Start.
  void SetChore(std::function<void()> chore) { chore_ = std::move(chore); }

  void Start();
  /// Tells all connections to finish.
  void Finish();
  /// Cuts all connections and waits for the thread.
  void End();

 private:
  void Run();
  void WaitToLook();
  void Look();
  void HandOut();
  // Cuts it if the work throws, as it does without memory.
  template <class Work>
  void OrCut(const std::shared_ptr<Watched>& watched, Work work);

  struct Delivery {
    std::shared_ptr<Watched> to;
    Response response;
  };

  const Clock::duration look_;
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<Executor> guard_;
  Timer timer_;
  Clock::time_point due_;
  bool waits_ = false;  // whether the timer will call
  std::function<void()> chore_;
  std::vector<std::shared_ptr<Watched>> watched_;
  bool finishing_ = false;
  bool ending_ = false;
  std::atomic<std::size_t> connections_{0};
  Counters counters_;
  std::vector<Delivery> handed_out_;
  std::mutex gate_;
  bool ended_ = false;                // guarded by gate_
  std::vector<Delivery> deliveries_;  // guarded by gate_
  std::thread thread_;
};

}  // namespace manyarms::http

#endif  // MANYARMS_SERVICE_HTTP_LOOP_H_
