#include "service/load/run_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "base/check.h"
#include "manyarms/error.h"
#include "service/load/arms_upload.h"
#include "service/load/client.h"
#include "service/load/service_calls.h"

namespace manyarms::load {
namespace {

using Clock = Course::Clock;

// A million arms that are added are answered once they are on the disk.
constexpr double kPatience = 1800;  // seconds

Clock::duration Seconds(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(seconds));
}

void Check(const LoadOptions& options) {
  const DriveOptions& drive = options.drive;
  const WorldOptions& world = options.world;
  CheckCount("arms", world.arms, 1, 100'000'000);
  CheckCount("dim", world.dim, 1, 4096);
  CheckCount("learners", world.learners, 1, 1'000'000'000);
  CheckWithin("zipf", world.zipf, 0, 10);
  CheckCount("connections", drive.connections, 1, 10'000);
  CheckCount("threads", drive.threads, 1, drive.connections);
  CheckCount("batch", drive.batch, 1, 1000);
  CheckCount("visits", drive.visits, 0, std::uint64_t{1} << 40);
  CheckWithin("seconds", drive.seconds, 0.001, 1e7);
  CheckWithin("warm-up", drive.warm_up, 0, 1e7);
  CheckWithin("rate", drive.rate, 0, 1e9);
  CheckWithin("timeout", drive.timeout_seconds, 0.001, 1e6);
}

std::string SettingsOf(const LoadOptions& options) {
  auto settings =
      nlohmann::ordered_json::parse(options.settings, nullptr, false);
  if (!settings.is_object()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("settings is \"{}\", must be an object of JSON",
                            options.settings));
  }
  settings["dim"] = options.world.dim;
  settings["arms"] = options.drive.numbered ? "numbers" : "names";
  settings["rewards"] = options.world.clicks ? "clicks" : "linear";
  return settings.dump();
}

// The bandit of a load test, which is removed at the end.
class TestBandit {
 public:
  TestBandit(const LoadOptions& options, const World& world,
             const LoadProgress& progress)
      : options_(options),
        path_(BanditPath(options.drive.bandit)),
        client_(options.drive.endpoint, options.drive.token, kPatience) {
    if (options.reuse) {
      Expect(client_.Send("GET", path_), {200},
             fmt::format("bandit {}", options.drive.bandit));
      return;
    }
    const Answer answer = client_.Send("PUT", path_, SettingsOf(options));
    if (answer.status == 200 || answer.status == 409) {
      throw Error(ErrorCode::kDuplicateId,
                  fmt::format("the service has a bandit {} already; --bandit "
                              "names another, and --reuse uses what an earlier "
                              "load test kept",
                              options.drive.bandit));
    }
    Expect(answer, {201},
           fmt::format("making bandit {}", options.drive.bandit));
    is_mine_ = true;
    try {
      Fill(world, progress);
    } catch (...) {
      Remove();
      throw;
    }
  }
  ~TestBandit() {
    if (is_mine_ && !options_.keep) Remove();
  }
  TestBandit(const TestBandit&) = delete;
  TestBandit& operator=(const TestBandit&) = delete;

  double fill_seconds() const { return fill_seconds_; }

 private:
  void Fill(const World& world, const LoadProgress& progress) {
    const Clock::time_point start = Clock::now();
    UploadArms(client_, options_.drive.bandit, world, options_.world.arms,
               options_.drive.numbered, [&progress](double done) {
                 if (progress) progress("adding arms", done);
               });
    fill_seconds_ = std::chrono::duration<double>(Clock::now() - start).count();
  }

  void Remove() noexcept {
    try {
      client_.Send("DELETE", path_);
    } catch (...) {  // NOLINT: the service is gone, and nothing can be removed
    }
  }

  const LoadOptions& options_;
  const std::string path_;
  Client client_;
  bool is_mine_ = false;
  double fill_seconds_ = 0;
};

// Runs drivers on threads of their own, and throws what one of them throws.
class Drivers {
 public:
  Drivers(const LoadOptions& options, const World& world, Course& course)
      : course_(course) {
    for (unsigned i = 0; i < options.drive.threads; ++i) {
      drivers_.push_back(
          std::make_unique<Driver>(options.drive, world, course, i));
    }
  }

  void Run(const std::function<void()>& watch) {
    std::vector<std::jthread> threads;
    threads.reserve(drivers_.size());
    std::atomic<std::size_t> running = drivers_.size();
    for (const auto& driver : drivers_) {
      threads.emplace_back([&, one = driver.get()] {
        RunOne(*one);
        --running;
      });
    }
    while (running > 0) {
      watch();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    threads.clear();
    if (failure_) std::rethrow_exception(failure_);
  }

  Tally Sum() const {
    Tally sum;
    for (const auto& driver : drivers_) sum.Add(driver->tally());
    return sum;
  }

 private:
  void RunOne(Driver& driver) {
    try {
      driver.Run();
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      course_.stopped = true;
    }
  }

  Course& course_;
  std::vector<std::unique_ptr<Driver>> drivers_;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

double ShareDone(const LoadOptions& options, const Course& course,
                 Clock::time_point begin) {
  const double time = std::chrono::duration<double>(Clock::now() - begin) /
                      std::chrono::duration<double>(course.end - begin);
  const double count = options.drive.choices == 0
                           ? 0
                           : static_cast<double>(course.begun) /
                                 static_cast<double>(options.drive.choices);
  return std::min(1.0, std::max(time, count));
}

}  // namespace

LoadReport RunLoadTest(const LoadOptions& options,
                       const LoadProgress& progress) {
  Check(options);
  const World world(options.world);
  const TestBandit bandit(options, world, progress);
  Course course;
  Drivers drivers(options, world, course);
  const Clock::time_point begin = Clock::now() + Seconds(0.01);
  course.start = begin + Seconds(options.drive.warm_up);
  course.end = course.start + Seconds(options.drive.seconds);
  drivers.Run([&] {
    if (progress) {
      progress("choices and rewards", ShareDone(options, course, begin));
    }
  });
  const Clock::time_point end = std::min(Clock::now(), course.end);
  return {.tally = drivers.Sum(),
          .fill_seconds = bandit.fill_seconds(),
          .seconds = std::chrono::duration<double>(end - course.start).count()};
}

}  // namespace manyarms::load
