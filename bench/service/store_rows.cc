// How many decisions and rewards a store commits per second, and how long a
// commit takes. Usage: bench_store_rows PLACE [PAIRS [MOST_WAITING]]
//
// Rows are as in a service: 16 features, a context of 4, an event of 16
// characters, 10,000 learners. The writer is fed from one thread, which pauses
// while more than MOST_WAITING changes wait.

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <thread>

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

int Main(int argc, char** argv) {
  if (argc < 2) return 1;
  const std::uint64_t pairs = argc > 2 ? std::stoull(argv[2]) : 500'000;
  const std::uint64_t most = argc > 3 ? std::stoull(argv[3]) : 20'000;
  Store store({.place = argv[1], .most_waiting = most});
  const auto created =
      store.Append(BanditCreated{.bandit = 1, .name = "bench"});
  store.Wait(created);
  std::mt19937_64 random(1);
  const auto before = store.stats();
  const auto start = Clock::now();
  for (std::uint64_t i = 1; i <= pairs; ++i) {
    const Sequence decision = store.Append(OneDecision(i, random));
    store.Append(RewardRow{.bandit = 1,
                           .decision = decision,
                           .learner = "user-1",
                           .reward = 1,
                           .time = 1.7e9 + static_cast<double>(i) * 1e-4});
    if (i % 64 == 0) {
      while (store.congested()) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    }
  }
  store.Wait(store.last_appended());
  const double seconds = SecondsSince(start);
  const auto after = store.stats();
  const auto commits = static_cast<double>(after.commits - before.commits);
  fmt::print(
      "{} decisions and as many rewards in {:.2f} s: {:.0f} rows/s; {:.0f} "
      "commits of {:.0f} rows, {:.2f} ms each; {:.0f} bytes a pair\n",
      pairs, seconds, 2 * static_cast<double>(pairs) / seconds, commits,
      2 * static_cast<double>(pairs) / commits,
      1e3 * (after.commit_seconds - before.commit_seconds) / commits,
      static_cast<double>(after.bytes - before.bytes) /
          static_cast<double>(pairs));
  return 0;
}

}  // namespace
}  // namespace manyarms::service

int main(int argc, char** argv) { return manyarms::service::Main(argc, argv); }
