// What a choice and its reward cost in a served bandit beyond what they cost in
// the population: 100,000 arms, 10,000 learners, a store in a file.
//
//   bench_engine_rate [PAIRS] [FOLDER]

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "manyarms/population.h"
#include "manyarms/random.h"
#include "service/engine/served_bandit.h"
#include "service/store/store.h"

namespace manyarms::service {
namespace {

constexpr std::size_t kArms = 100'000;
constexpr std::size_t kDim = 16;
constexpr std::size_t kLearners = 10'000;

double Seconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double ThreadSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) * 1e-9;
}

std::string LearnerOf(std::size_t pair) {
  return fmt::format("learner {}", pair * 2654435761U % kLearners);
}

// Calls work(pair) for all pairs on some threads, and prints what each took.
void Measure(const char* what, std::size_t threads, std::size_t pairs,
             const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::atomic<double> busy = 0;
  const double start = Seconds();
  {
    std::vector<std::jthread> all;
    all.reserve(threads);
    for (std::size_t t = 0; t < threads; ++t) {
      all.emplace_back([&] {
        for (std::size_t i = next++; i < pairs; i = next++) work(i);
        busy += ThreadSeconds();
      });
    }
  }
  const double wall = Seconds() - start;
  fmt::print("{:<36} {:>2} threads {:>8.0f} pairs/s {:>7.2f} us of a core\n",
             what, threads, static_cast<double>(pairs) / wall,
             busy / static_cast<double>(pairs) * 1e6);
}

std::vector<float> RowOf(std::size_t arm) {
  std::vector<float> row(kDim);
  RandomStream(1, RandomStream::Role::kArm, arm).Gaussians(row);
  for (float& value : row) value /= 4;
  return row;
}

double RewardOf(std::size_t pair) {
  return static_cast<double>(pair % 100) / 100;
}

void MeasurePopulation(std::size_t pairs) {
  Population population({.dim = kDim, .max_pending = std::size_t{1} << 20});
  for (std::size_t i = 0; i < kArms; ++i) population.Add(i, RowOf(i));
  const auto pair = [&](std::size_t i) {
    const LearnerKey learner(LearnerOf(i));
    const Decision decision = population.Choose(learner);
    population.Learn(learner, decision.id, RewardOf(i));
  };
  Measure("population, first choices", 1, pairs, pair);
  for (const std::size_t threads : {1U, 2U, 1U, 2U}) {
    Measure("population", threads, pairs, pair);
  }
}

void MeasureBandit(std::size_t pairs, const std::filesystem::path& folder) {
  Store store({.place = (folder / "engine_rate.db").string(),
               .most_waiting = 10'000'000});
  Settings settings;
  settings.population.dim = kDim;
  settings.population.max_pending = std::size_t{1} << 20;
  store.Append(BanditCreated{
      .bandit = 1, .name = "b", .settings = ToJson(settings), .time = 1});
  ServedBandit bandit(1, "b", settings, {}, store);
  std::vector<ArmInfo> arms;
  arms.reserve(kArms);
  for (std::size_t i = 0; i < kArms; ++i) {
    arms.push_back({.arm = fmt::format("arm {}", i), .features = RowOf(i)});
  }
  store.Wait(bandit.PutArms(std::move(arms), true).durable_at);
  std::atomic<Sequence> last = 0;
  const auto pair = [&](std::size_t i) {
    const ChoiceAnswer answer = bandit.Choose({.learner = LearnerOf(i)});
    last = bandit.Reward({.decision = answer.first, .reward = RewardOf(i)})
               .durable_at;
  };
  const auto measure = [&](const char* what, std::size_t threads) {
    Measure(what, threads, pairs, pair);
    const double start = Seconds();
    store.Wait(last);
    fmt::print("{:>47.2f} s until all is durable\n", Seconds() - start);
  };
  measure("served bandit, first choices", 1);
  for (const std::size_t threads : {1U, 2U, 1U, 2U}) {
    measure("served bandit", threads);
  }
  const double start = Seconds();
  bandit.SaveLearners(true);
  fmt::print("{:.2f} s to save all learners\n", Seconds() - start);
}

int Run(int count, char** given) {
  const std::size_t pairs = count > 1 ? std::stoul(given[1]) : 100'000;
  const std::filesystem::path folder =
      std::filesystem::path(count > 2 ? given[2] : "/tmp") /
      fmt::format("engine-rate-{}", getpid());
  MeasurePopulation(pairs);
  std::filesystem::create_directories(folder);
  MeasureBandit(pairs, folder);
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace manyarms::service

int main(int count, char** given) {
  return manyarms::service::Run(count, given);
}
