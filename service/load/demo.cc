#include "service/load/demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>
#include <queue>
#include <string_view>
#include <thread>
#include <vector>

#include "manyarms/error.h"
#include "manyarms/random.h"
#include "service/load/client.h"
#include "service/load/service_calls.h"

namespace manyarms::load {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr std::array<std::string_view, Demo::kVisitors> kNames = {
    "anna", "ben",  "clara", "david", "emma", "felix", "grace", "henry",
    "ida",  "jack", "kate",  "leo",   "mia",  "noah",  "olga",  "paul",
    "quin", "rosa", "sam",   "tina",  "ulf",  "vera",  "will",  "yara"};

constexpr double kRewardWait = 5;  // seconds
constexpr double kEarliest = 0.5;  // in which a click comes
constexpr double kLatest = 3;      // likewise
constexpr double kArmsEvery = 4;   // seconds, in which arms come and go
constexpr std::uint64_t kArmsAtATime = 5;
constexpr double kTimeout = 10;  // seconds

Clock::duration Seconds(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(seconds));
}

struct Click {
  Clock::time_point due;
  std::uint64_t decision = 0;
  bool operator>(const Click& other) const { return due > other.due; }
};

}  // namespace

WorldOptions Demo::Shop() {
  return {.arms = kArms,
          .dim = 16,
          .learners = kVisitors,
          .zipf = 0.7,
          .clicks = true,
          .seed = 1};
}

std::string Demo::Settings() {
  const Json settings = {{"dim", Shop().dim},
                         {"rewards", "clicks"},
                         {"arms", "names"},
                         {"explore_uniform", 0.1},
                         {"reward_wait", kRewardWait},
                         {"default_reward", 0}};
  return settings.dump();
}

std::string Demo::VisitorName(std::uint64_t visitor) {
  return std::string(kNames.at(visitor));
}

class Demo::State {
 public:
  explicit State(const DemoOptions& options)
      : options_(options),
        world_(Shop()),
        path_(BanditPath(kBandit)),
        client_({.host = options.host, .port = options.port}, options.token,
                kTimeout),
        random_(
            static_cast<std::uint64_t>(Clock::now().time_since_epoch().count()),
            RandomStream::Role::kVisit, 0) {
    Begin();
    thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
  }

 private:
  Answer Post(const std::string& verb, const Json& body) {
    return client_.Send("POST", path_ + "/" + verb, body.dump());
  }

  void Begin() {
    const Answer made = client_.Send("PUT", path_, Settings());
    Expect(made, {200, 201}, "making the bandit demo");
    if (made.status == 200 && FindArms()) return;
    AddArms(kArms);
  }

  // Of an earlier demo. Returns whether there are any.
  bool FindArms() {
    const Answer listed =
        client_.Send("GET", fmt::format("{}/arms?limit={}", path_, 2 * kArms));
    Expect(listed, {200}, "listing the arms of demo");
    const Json json = Json::parse(listed.body);
    first_ = std::numeric_limits<std::uint64_t>::max();
    next_ = 0;
    for (const Json& arm : json.at("arms")) {
      const auto number = world_.NumberOf(arm.at("arm").get<std::string>());
      if (!number) continue;
      first_ = std::min(first_, *number);
      next_ = std::max(next_, *number + 1);
    }
    if (next_ > 0) return true;
    first_ = 0;
    return false;
  }

  void AddArms(std::uint64_t count) {
    std::vector<float> features(world_.options().dim);
    Json arms = Json::array();
    for (std::uint64_t arm = next_; arm < next_ + count; ++arm) {
      world_.Features(arm, features);
      arms.push_back({{"arm", world_.NameOf(arm)},
                      {"features", features},
                      {"tags", world_.TagsOf(arm)}});
    }
    Expect(Post("arms", {{"arms", arms}}), {200}, "adding arms to demo");
    next_ += count;
  }

  void RemoveArms(std::uint64_t count) {
    Json arms = Json::array();
    for (std::uint64_t arm = first_; arm < first_ + count; ++arm) {
      arms.push_back(world_.NameOf(arm));
    }
    Expect(Post("remove-arms", {{"arms", arms}}), {200},
           "removing arms of demo");
    first_ += count;
  }

  void Run(const std::stop_token& stop) {
    const Clock::duration pause = Seconds(1 / options_.choices_per_second);
    Clock::time_point next = Clock::now();
    Clock::time_point change = next + Seconds(kArmsEvery);
    while (Sleep(next, stop)) {
      // After a pause of the service the choices that were missed stay so.
      next = std::max(next + pause, Clock::now() - Seconds(0.1));
      try {
        Choose();
        SendClicks();
        if (Clock::now() < change) continue;
        change = Clock::now() + Seconds(kArmsEvery);
        AddArms(kArmsAtATime);
        RemoveArms(kArmsAtATime);
      } catch (const std::exception& error) {
        if (stop.stop_requested()) return;
        if (options_.log) options_.log(error.what());
        next = Clock::now() + Seconds(1);
      }
    }
  }

  // Returns false if it is to stop.
  bool Sleep(Clock::time_point until, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    woken_.wait_until(lock, stop, until, [] { return false; });
    return !stop.stop_requested();
  }

  // Most visitors see one product of all; some look within a department, and
  // some see several.
  void Choose() {
    const std::uint64_t visitor = world_.DrawLearner(random_);
    Json choice = {{"learner", VisitorName(visitor)}};
    const std::uint64_t kind = random_.Below(50);
    if (kind == 0) choice["count"] = 4;
    if (kind % 5 == 1) choice["tags"] = Department(kind);
    const Answer answer = Post("choose", choice);
    Expect(answer, {200}, "choosing for demo");
    const Json json = Json::parse(answer.body);
    if (!json.contains("decisions")) return Look(visitor, json);
    for (const Json& one : json["decisions"]) Look(visitor, one);
  }

  static std::string Department(std::uint64_t kind) {
    constexpr std::array kExpressions = {"kitchen or home", "garden",
                                         "sports or clothes", "books",
                                         "sale and not books"};
    return kExpressions.at(kind / 10);
  }

  void Look(std::uint64_t visitor, const Json& decision) {
    const auto arm = world_.NumberOf(decision.at("arm").get<std::string>());
    if (!arm || world_.Reward(visitor, *arm, random_) == 0) return;
    const double delay = kEarliest + (kLatest - kEarliest) * random_.Uniform();
    clicks_.push({.due = Clock::now() + Seconds(delay),
                  .decision = decision.at("decision").get<std::uint64_t>()});
  }

  void SendClicks() {
    while (!clicks_.empty() && clicks_.top().due <= Clock::now()) {
      const std::uint64_t decision = clicks_.top().decision;
      clicks_.pop();
      Expect(Post("reward", {{"decision", decision}, {"reward", 1}}), {200},
             "a reward for demo");
    }
  }

  const DemoOptions options_;
  const World world_;
  const std::string path_;
  Client client_;
  RandomStream random_;
  std::uint64_t first_ = 0;  // arms from this one on exist
  std::uint64_t next_ = 0;   // up to this one
  std::priority_queue<Click, std::vector<Click>, std::greater<>> clicks_;
  std::mutex mutex_;
  std::condition_variable_any woken_;
  std::jthread thread_;  // the last member: it uses the others
};

Demo::Demo(const DemoOptions& options)
    : state_(std::make_unique<State>(options)) {}
Demo::~Demo() = default;

}  // namespace manyarms::load
