// How fast a store writes decisions, rewards and arms, and reads them again.
// Usage: bench_store_rows PLACE [PAIRS [ARMS [MOST]]]
//
// The place must be new. Rows are as in a service: 16 features, a context of 4,
// an event of 16 characters, 10,000 learners. One thread gives the store PAIRS
// of a decision and its reward, and pauses while more than MOST changes wait.

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "service/store/store.h"

namespace manyarms::service {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

DecisionsMade OneDecision(std::uint64_t i, std::mt19937_64& random) {
  DecisionRow row;
  row.bandit = 1;
  row.learner = fmt::format("user-{}", random() % 10'000);
  row.number = i;
  row.arm = random() % 1'000'000;
  row.arm_name = fmt::format("article-{}", row.arm);
  row.features.assign(16, 0.25F);
  row.context.assign(4, 0.5F);
  row.score = 0.5;
  row.eligible = 1'000'000;
  row.event = fmt::format("{:016x}", random());
  row.time = 1.7e9 + static_cast<double>(i) * 1e-4;
  return {.decisions = {row}};
}

void WriteEvents(Store& store, std::uint64_t pairs) {
  std::mt19937_64 random(1);  // NOLINT(bugprone-random-generator-seed)
  const auto before = store.stats();
  const auto start = Clock::now();
  for (std::uint64_t i = 1; i <= pairs; ++i) {
    const Sequence decision = store.Append(OneDecision(i, random));
    store.Append(RewardRow{.bandit = 1,
                           .decision = decision,
                           .learner = "user-1",
                           .reward = 1,
                           .time = 1.7e9 + static_cast<double>(i) * 1e-4});
    while (i % 64 == 0 && store.congested()) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
  store.Wait(store.last_appended());
  const double seconds = SecondsSince(start);
  const auto after = store.stats();
  const auto commits = static_cast<double>(after.commits - before.commits);
  const auto rows = 2 * static_cast<double>(pairs);
  fmt::print(
      "{:.0f} decisions and rewards written in {:.2f} s: {:.0f}/s; {:.0f} "
      "commits of {:.0f} rows, {:.2f} ms each; {:.0f} bytes a row\n",
      rows, seconds, rows / seconds, commits, rows / commits,
      1e3 * (after.commit_seconds - before.commit_seconds) / commits,
      static_cast<double>(after.bytes - before.bytes) / rows);
}

void WriteArms(Store& store, std::uint32_t arms) {
  ArmsPut put = {.bandit = 1, .time = 1.7e9};
  for (std::uint32_t place = 0; place < arms; ++place) {
    put.arms.push_back({.place = place,
                        .arm = place,
                        .name = fmt::format("article-{}", place),
                        .features = std::vector<float>(16, 0.25F),
                        .tags = {"news"}});
  }
  const auto start = Clock::now();
  store.Wait(store.Append(std::move(put)));
  fmt::print("{} arms written in {:.2f} s\n", arms, SecondsSince(start));
}

void Read(Store& store) {
  auto start = Clock::now();
  std::uint64_t rows = 0;
  store.ReadArms(1, [&](ArmRow&&) { ++rows; });
  fmt::print("{} arms read in {:.2f} s\n", rows, SecondsSince(start));
  start = Clock::now();
  rows = 0;
  store.ReadEvents(1, 0, [&](Store::Event&&) { ++rows; });
  fmt::print("{} events read in {:.2f} s\n", rows, SecondsSince(start));
}

int Main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "Usage: bench_store_rows PLACE [PAIRS [ARMS [MOST]]]\n");
    return 1;
  }
  const auto number = [&](int i, std::uint64_t otherwise) {
    return argc > i ? std::stoull(argv[i]) : otherwise;
  };
  Store store({.place = argv[1], .most_waiting = number(4, 20'000)});
  store.Wait(store.Append(BanditCreated{.bandit = 1, .name = "bench"}));
  WriteEvents(store, number(2, 500'000));
  WriteArms(store, static_cast<std::uint32_t>(number(3, 200'000)));
  Read(store);
  return 0;
}

}  // namespace
}  // namespace manyarms::service

int main(int argc, char** argv) { return manyarms::service::Main(argc, argv); }
