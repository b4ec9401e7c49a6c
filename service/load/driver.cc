#include "service/load/driver.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "log/json_text.h"
#include "manyarms/error.h"
#include "manyarms/random.h"
#include "service/load/client.h"
#include "service/load/connection.h"
#include "service/load/service_calls.h"

namespace manyarms::load {
namespace {

using Clock = Course::Clock;
using Stage = Connection::Stage;
using std::chrono::nanoseconds;

constexpr std::uint64_t kTimer = ~std::uint64_t{0};  // for epoll_event.data

std::uint64_t Nanoseconds(Clock::duration time) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(
      0, std::chrono::duration_cast<nanoseconds>(time).count()));
}

Clock::duration Seconds(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(seconds));
}

std::string HeadOf(const DriveOptions& options, const std::string& verb) {
  return fmt::format(
      "POST {}/{} HTTP/1.1\r\n{}Content-Type: application/json\r\n"
      "Content-Length: ",
      BanditPath(options.bandit), verb,
      CommonFields(options.endpoint, options.token));
}

[[noreturn]] void FailSystem(const char* what) {
  throw Error(
      ErrorCode::kIo,
      fmt::format("{}: {}", what, std::generic_category().message(errno)));
}

// A descriptor of the system that is closed at the end.
class Descriptor {
 public:
  Descriptor(int fd, const char* what) : fd_(fd) {
    if (fd < 0) FailSystem(what);
  }
  ~Descriptor() { close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }

 private:
  const int fd_;
};

}  // namespace

void Tally::Add(const Tally& other) {
  choose.Add(other.choose);
  reward.Add(other.reward);
  choices += other.choices;
  rewards += other.rewards;
  requests += other.requests;
  bytes += other.bytes;
  for (const auto& [what, count] : other.errors) errors[what] += count;
  if (first_error.empty()) first_error = other.first_error;
  reconnects += other.reconnects;
}

class Driver::State {
 public:
  State(const DriveOptions& options, const World& world, Course& course,
        unsigned number)
      : options_(options),
        world_(world),
        course_(course),
        epoll_(epoll_create1(EPOLL_CLOEXEC), "epoll_create1"),
        timer_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC),
               "timerfd_create"),
        choose_head_(HeadOf(options, Several() ? "choices" : "choose")),
        reward_head_(HeadOf(options, Several() ? "rewards" : "reward")),
        visits_(world.options().seed, RandomStream::Role::kVisit,
                StreamOf(options, number)),
        noise_(world.options().seed, RandomStream::Role::kNoise,
               StreamOf(options, number)),
        number_(number),
        interval_(options.rate > 0
                      ? Seconds(static_cast<double>(options.batch) *
                                options.threads / options.rate)
                      : Clock::duration()) {
    const unsigned count =
        options.connections / options.threads +
        (number < options.connections % options.threads ? 1 : 0);
    for (unsigned i = 0; i < count; ++i) {
      connections_.emplace_back();
      Open(i);
      free_.push_back(i);
    }
    Watch(timer_.get(), kTimer);
  }

  void Run() {
    const Clock::time_point begin = course_.start - Seconds(options_.warm_up);
    next_due_ = begin + interval_ * number_ / options_.threads;
    std::this_thread::sleep_until(begin);
    Clock::time_point checked = Clock::now();
    while (true) {
      Clock::time_point now = Clock::now();
      StartThoseDue(now);
      if (free_.size() == connections_.size() && Over(now)) return;
      Wait(now);
      now = Clock::now();
      if (now - checked < Seconds(0.1)) continue;
      checked = now;
      CutOffLate(now);
    }
  }

  const Tally& tally() const { return tally_; }

 private:
  static std::uint64_t StreamOf(const DriveOptions& options, unsigned number) {
    return options.visits << 16 | number;
  }

  bool Several() const { return options_.batch > 1; }

  void Watch(int fd, std::uint64_t data) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = data;
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
      FailSystem("epoll_ctl");
    }
  }

  void Open(std::size_t index) {
    Connection& connection = connections_[index];
    connection.Open(options_.endpoint, options_.timeout_seconds);
    Watch(connection.fd(), index);
  }

  bool Over(Clock::time_point now) const {
    return now >= course_.end ||
           course_.stopped.load(std::memory_order_relaxed) ||
           (options_.choices > 0 &&
            course_.begun.load(std::memory_order_relaxed) >= options_.choices);
  }

  // Takes part of the choices that are left. Returns false if there are none.
  bool Claim() {
    const std::uint64_t before =
        course_.begun.fetch_add(options_.batch, std::memory_order_relaxed);
    return options_.choices == 0 || before < options_.choices;
  }

  void StartThoseDue(Clock::time_point now) {
    while (!free_.empty() && !Over(now)) {
      if (options_.rate > 0 && next_due_ > now) return SetTimer();
      if (!Claim()) return;
      const std::size_t index = free_.back();
      free_.pop_back();
      const Clock::time_point due = options_.rate > 0 ? next_due_ : now;
      next_due_ += interval_;
      Choose(index, due);
    }
  }

  // Wakes the thread when the next choice is due.
  void SetTimer() {
    const auto time = next_due_.time_since_epoch();
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(time);
    itimerspec when{};
    when.it_value.tv_sec = whole.count();
    when.it_value.tv_nsec = (nanoseconds(time) - whole).count();
    timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
  }

  void Wait(Clock::time_point now) {
    constexpr int kLongestWait = 50;  // milliseconds
    std::array<epoll_event, 256> events{};
    const bool busy = options_.rate == 0 && !free_.empty() && !Over(now);
    const int count =
        epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()),
                   busy ? 0 : kLongestWait);
    if (count < 0 && errno != EINTR) FailSystem("epoll_wait");
    for (int i = 0; i < count; ++i) {
      const std::uint64_t index = events[static_cast<std::size_t>(i)].data.u64;
      if (index == kTimer) {
        std::uint64_t times = 0;
        [[maybe_unused]] const auto got =
            read(timer_.get(), &times, sizeof(times));
      } else {
        Continue(index);
      }
    }
  }

  void Choose(std::size_t index, Clock::time_point due) {
    Connection& connection = connections_[index];
    connection.learners.clear();
    body_ = Several() ? R"({"choices":[)" : "";
    for (std::size_t i = 0; i < options_.batch; ++i) {
      const std::uint64_t learner = world_.DrawLearner(visits_);
      connection.learners.push_back(learner);
      if (i > 0) body_ += ',';
      body_ += R"({"learner":"user-)";
      AppendJson(learner, body_);
      body_ += R"("})";
    }
    if (Several()) body_ += "]}";
    connection.stage = Stage::kChoosing;
    Send(index, choose_head_, due);
  }

  void Send(std::size_t index, const std::string& head, Clock::time_point due) {
    Connection& connection = connections_[index];
    connection.due = due;
    connection.sent = Clock::now();
    if (!connection.Send(head, body_)) Reopen(index, "connection closed");
  }

  // An answer, or a part of it, has come.
  void Continue(std::size_t index) {
    Connection& connection = connections_[index];
    try {
      const Connection::Outcome outcome = connection.Receive();
      if (outcome == Connection::Outcome::kWaiting) return;
      if (outcome == Connection::Outcome::kClosed) {
        return Reopen(index, "connection closed");
      }
      Take(index);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kCorrupt) throw;
      Count("wrong answer", error.what());
      Reopen(index, "");
    }
  }

  void Take(std::size_t index) {
    Connection& connection = connections_[index];
    const Clock::time_point now = Clock::now();
    Record(connection, now);
    const bool rewards_follow = Understand(connection);
    if (!connection.answer().keeps_alive()) Open(index);
    connection.stage = rewards_follow ? Stage::kRewarding : Stage::kFree;
    if (rewards_follow) {
      Send(index, reward_head_, now);
    } else {
      free_.push_back(index);
    }
  }

  // Checks an answer. Returns whether it is a choice whose rewards, which are
  // then in body_, are to be sent.
  bool Understand(Connection& connection) {
    const ResponseReader& answer = connection.answer();
    if (answer.status() != 200) {
      Count(fmt::format("{}", answer.status()),
            ReasonOf({answer.status(), std::string(answer.body())}));
      return false;
    }
    if (connection.stage == Stage::kChoosing) return CheckChoices(connection);
    CheckRewards(connection);
    return false;
  }

  void Record(const Connection& connection, Clock::time_point now) {
    if (connection.due < course_.start) return;
    const bool choosing = connection.stage == Stage::kChoosing;
    (choosing ? tally_.choose : tally_.reward)
        .Record(Nanoseconds(now - connection.due));
    if (now > course_.end) return;
    ++tally_.requests;
    tally_.bytes += connection.answer().body().size();
    if (connection.answer().status() != 200) return;
    (choosing ? tally_.choices : tally_.rewards) += options_.batch;
  }

  // Also writes the body of the rewards. Returns whether there are any.
  bool CheckChoices(Connection& connection) {
    body_ = Several() ? R"({"rewards":[)" : "";
    rewards_ = 0;
    if (options_.unchecked) {
      while (rewards_ < options_.batch) AppendReward(1, 0.5);
    } else {
      CheckAll(connection);
    }
    if (Several()) body_ += "]}";
    return rewards_ > 0;
  }

  void AppendReward(std::uint64_t decision, double reward) {
    if (++rewards_ > 1) body_ += ',';
    body_ += R"({"decision":)";
    AppendJson(decision, body_);
    body_ += R"(,"reward":)";
    AppendJson(reward, body_);
    body_ += '}';
  }

  void CheckAll(Connection& connection) {
    ParseChosen(connection.answer().body(), Several(), connection.chosen);
    if (connection.chosen.size() != connection.learners.size()) {
      return Count("wrong answer", "not as many answers as choices");
    }
    for (std::size_t i = 0; i < connection.chosen.size(); ++i) {
      const Chosen& chosen = connection.chosen[i];
      const std::optional<std::uint64_t> arm = CheckedArm(connection, chosen);
      if (!arm) continue;
      AppendReward(chosen.decision,
                   world_.Reward(connection.learners[i], *arm, noise_));
    }
  }

  // The arm that was chosen, if the answer is one that can be right.
  std::optional<std::uint64_t> CheckedArm(Connection& connection,
                                          const Chosen& chosen) {
    if (chosen.failed) {
      Count("refused", std::string(connection.answer().body().substr(0, 500)));
      return std::nullopt;
    }
    const std::optional<std::uint64_t> arm =
        options_.numbered ? chosen.number : world_.NumberOf(chosen.name);
    const std::uint64_t arms = world_.options().arms;
    if (!arm || *arm >= arms || chosen.eligible != arms ||
        chosen.decision <= connection.last_decision) {
      Count("wrong answer",
            fmt::format("decision {} (the one before was {}), {} eligible "
                        "arms, in {}",
                        chosen.decision, connection.last_decision,
                        chosen.eligible,
                        connection.answer().body().substr(0, 300)));
      return std::nullopt;
    }
    connection.last_decision = chosen.decision;
    return arm;
  }

  void CheckRewards(const Connection& connection) {
    if (options_.unchecked) return;
    ParseRewarded(connection.answer().body(), Several(), rewarded_);
    for (const Rewarded& one : rewarded_) {
      if (one.failed) {
        Count("refused",
              std::string(connection.answer().body().substr(0, 500)));
      } else if (one.decision == 0 || (!one.learned && !one.waiting)) {
        Count("wrong answer",
              fmt::format("a reward was not learned: {}",
                          connection.answer().body().substr(0, 300)));
      }
    }
  }

  // `error` is empty if it is counted already.
  void Reopen(std::size_t index, const std::string& error) {
    Connection& connection = connections_[index];
    const bool was_free = connection.stage == Stage::kFree;
    if (!error.empty() && !was_free) Count(error, error);
    ++tally_.reconnects;
    Open(index);
    connection.stage = Stage::kFree;
    if (!was_free) free_.push_back(index);
  }

  void CutOffLate(Clock::time_point now) {
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      const Connection& one = connections_[i];
      if (one.stage == Stage::kFree) continue;
      if (now - one.sent < Seconds(options_.timeout_seconds)) continue;
      Reopen(i, "no answer in time");
    }
  }

  void Count(const std::string& what, const std::string& message) {
    ++tally_.errors[what];
    if (tally_.first_error.empty()) {
      tally_.first_error = fmt::format("{}: {}", what, message);
    }
  }

  const DriveOptions& options_;
  const World& world_;
  Course& course_;
  const Descriptor epoll_;
  const Descriptor timer_;
  const std::string choose_head_;
  const std::string reward_head_;
  RandomStream visits_;
  RandomStream noise_;
  const unsigned number_;
  const Clock::duration interval_;
  Clock::time_point next_due_;
  std::deque<Connection> connections_;
  std::vector<std::size_t> free_;  // those without a request
  std::string body_;
  std::size_t rewards_ = 0;  // in the body
  std::vector<Rewarded> rewarded_;
  Tally tally_;
};

Driver::Driver(const DriveOptions& options, const World& world, Course& course,
               unsigned number)
    : state_(std::make_unique<State>(options, world, course, number)) {}
Driver::~Driver() = default;

void Driver::Run() { state_->Run(); }

const Tally& Driver::tally() const { return state_->tally(); }

}  // namespace manyarms::load
