// Many threads over one population.

#include <atomic>
#include <barrier>
#include <exception>
#include <thread>
#include <vector>

#include "manyarms/population.h"
#include "manyarms/random.h"
#include "testing.h"

namespace manyarms {
namespace {

using Role = RandomStream::Role;

constexpr std::size_t kDim = 8;
constexpr std::size_t kArms = 20'000;
constexpr std::uint64_t kLearners = 24;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t kSteps = 40;
#else
constexpr std::uint64_t kSteps = 300;
#endif

class Threads : public ::testing::TestWithParam<PolicyOptions> {
 protected:
  Threads() : rows_(testing::GaussianRows(kArms, kDim, 1)) {}

  Population Make(std::uint64_t check_every = 0) const {
    Population population(
        {.dim = kDim,
         .policy = GetParam(),
         .search = CertifiedOptions{.check_every = check_every},
         .order_budget = std::size_t{2} << 20});
    population.Add(testing::FirstIds(kArms), rows_);
    return population;
  }

  double Reward(std::uint64_t key, ArmId arm) const {
    return rows_[arm % kArms * kDim + key % kDim];
  }

  // Each learner's decisions, if its steps are taken on some of the threads.
  std::vector<std::vector<ArmId>> Live(std::uint64_t threads) const {
    Population population = Make();
    std::vector<std::vector<ArmId>> chosen(kLearners);
    std::barrier all(static_cast<std::ptrdiff_t>(threads));
    const auto work = [&](std::uint64_t thread) {
      for (std::uint64_t t = 0; t < kSteps; ++t) {
        // Other learners than at the step before, but each on one thread.
        for (std::uint64_t key = 0; key < kLearners; ++key) {
          if ((key + t) % threads != thread) continue;
          const Decision decision = population.Choose(key);
          chosen[key].push_back(decision.arm);
          population.Learn(key, decision.id, Reward(key, decision.arm));
        }
        all.arrive_and_wait();
        // Between two steps, so that all see the same arms.
        if (thread == 0 && t % 10 == 9) {
          population.Remove(t);
          population.Add(kArms + t, std::span(rows_).subspan(t * kDim, kDim));
        }
        all.arrive_and_wait();
      }
    };
    std::vector<std::jthread> running;
    running.reserve(threads);
    for (std::uint64_t i = 0; i < threads; ++i) running.emplace_back(work, i);
    running.clear();
    return chosen;
  }

  const std::vector<float> rows_;
};

TEST_P(Threads, DecisionsDoNotDependOnThem) {
  const auto alone = Live(1);
  EXPECT_EQ(Live(3), alone);
}

// Everything at once. Every answer is compared with a scan's.
TEST_P(Threads, MayCallEverythingAtTheSameTime) {
  Population population = Make(1);
  std::atomic<std::uint64_t> decisions = 0;
  std::atomic<int> failures = 0;
  const auto guarded = [&](const auto& work) {
    return [&failures, work] {
      try {
        work();
      } catch (const std::exception& error) {
        ++failures;
        ADD_FAILURE() << error.what();
      }
    };
  };
  {
    std::vector<std::jthread> running;
    running.reserve(5);
    for (std::uint64_t thread = 0; thread < 3; ++thread) {
      running.emplace_back(guarded([&, thread] {
        for (std::uint64_t t = 0; t < kSteps; ++t) {
          const std::uint64_t key = (t + thread) % 5;  // shared by threads
          const Decision decision = population.Choose(key);
          population.Learn(key, decision.id, Reward(key, decision.arm));
          if (t % 10 == 0) population.ChooseBest(key + 100, 3);
          if (t % 15 == 7) population.Forget(key, 0.3);
          if (t % 20 == 0) {
            population.Predict(key, std::span(rows_).first(kDim));
          }
          ++decisions;
        }
      }));
    }
    running.emplace_back(guarded([&] {
      for (std::uint64_t t = 0; t < kSteps; ++t) {
        population.Add(kArms + t, std::span(rows_).subspan(t * kDim, kDim));
        population.Remove(t);
      }
    }));
    running.emplace_back(guarded([&] {
      for (std::uint64_t t = 0; t < kSteps / 4; ++t) {
        population.stats();
        population.Learners();
        const LearnerKey guest = "guest";
        population.Choose(guest);
        const auto exported = population.Export(guest);
        population.Forget(guest);
        population.Import(guest, exported);
      }
    }));
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(decisions, 3 * kSteps);
  EXPECT_EQ(population.size(), kArms);
  std::uint64_t rewards = 0;
  for (std::uint64_t key = 0; key < 5; ++key) {
    rewards += population.Describe(key).rewards;
  }
  EXPECT_EQ(rewards, 3 * kSteps);
}

INSTANTIATE_TEST_SUITE_P(All, Threads,
                         ::testing::Values(PolicyOptions(ThompsonOptions{}),
                                           PolicyOptions(UcbOptions{})),
                         [](const auto& c) {
                           return std::string(PolicyName(c.param)) == "ts"
                                      ? "Thompson"
                                      : "Ucb";
                         });

}  // namespace
}  // namespace manyarms
