// A forked child may use what it inherited, whatever other threads were doing.

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <thread>

#include "base/shared_mutex.h"
#include "manyarms/bandit.h"
#include "manyarms/population.h"
#include "manyarms/threads.h"
#include "testing.h"

namespace manyarms {
namespace {

// The address sanitizer of g++ 12 leaves its allocator locked in a child that
// is forked while another thread allocates.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kAllocationSurvivesForks = false;
#else
constexpr bool kAllocationSurvivesForks = true;
#endif

// Runs `work` in a forked child and returns whether it ended well within a
// minute. A child that hangs is ended by its alarm.
template <class Work>
bool WorksInAChild(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(work() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Fork, FindsLocksFreeThatOtherThreadsHold) {
  SharedMutex mutex(LockLevel::kArms);
  std::atomic<bool> done = false;
  std::thread other([&] {
    while (!done) {
      const std::shared_lock lock(mutex);
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(WorksInAChild([&] {
      mutex.lock();
      mutex.unlock();
      return true;
    }));
  }
  done = true;
  other.join();
}

// Threads make and destroy locks and bandits while another thread forks. A fork
// must not call a lock whose constructor has not ended, or whose destructor has
// begun. The child may use a bandit that it inherited, and make its own.
TEST(Fork, MeetsLocksAndBanditsThatOtherThreadsMakeAndDestroy) {
  constexpr std::size_t kDim = 4;
  constexpr std::size_t kArms = 20;
  const std::vector<float> rows = testing::GaussianRows(kArms, kDim, 1);
  const auto make = [&](const SearchOptions& search) {
    Bandit bandit({.dim = kDim, .search = search});
    bandit.Add(testing::FirstIds(kArms), rows);
    return bandit;
  };
  const auto use = [](Bandit& bandit) {
    bandit.Learn(bandit.Choose(), 1.0);
    bandit.Remove(7);
    return bandit.size() == kArms - 1;
  };
  std::atomic<bool> done = false;
  std::vector<std::jthread> threads;
  threads.emplace_back([&] {
    while (!done) {
      const SharedMutex mutex(LockLevel::kArms);
      std::this_thread::yield();
    }
  });
  threads.emplace_back([&] {
    while (!done) {
      for (const SearchOptions& search :
           {SearchOptions(CertifiedOptions{}), SearchOptions(HnswOptions{})}) {
        Bandit bandit = make(search);
        use(bandit);
      }
    }
  });
  Bandit inherited = make(CertifiedOptions{});
  for (int i = 0; i < 100 && !HasFailure(); ++i) {
    EXPECT_TRUE(WorksInAChild([&] {
      if (!kAllocationSurvivesForks) return true;
      Bandit own = make(HnswOptions{});
      return use(inherited) && use(own);
    })) << "fork "
        << i;
  }
  done = true;
}

// Threads choose, learn, and change and save arms while another thread forks.
// The child may use the population, whatever they were doing.
TEST(Fork, LetsAChildUseAPopulationThatOtherThreadsAreUsing) {
  constexpr std::size_t kDim = 4;
  constexpr std::size_t kArms = 5000;
  const std::vector<float> rows = testing::GaussianRows(kArms, kDim, 1);
  Population population({.dim = kDim});
  population.Add(testing::FirstIds(kArms), rows);
  std::atomic<bool> done = false;
  std::vector<std::jthread> threads;
  threads.reserve(3);
  for (std::uint64_t thread = 0; thread < 2; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::uint64_t t = 0; !done; ++t) {
        const std::uint64_t key = 2 * (t % 10) + thread;
        const Decision decision = population.Choose(key);
        population.Learn(key, decision.id, 1);
      }
    });
  }
  threads.emplace_back([&] {
    for (ArmId id = 0; !done; id = (id + 1) % kArms) {
      population.Remove(id);
      population.Add(id, std::span(rows).subspan(id * kDim, kDim));
      if (id % 100 == 0) {
        std::ostringstream out;
        population.Save(out);
      }
    }
  });
  for (int i = 0; i < 50 && !HasFailure(); ++i) {
    EXPECT_TRUE(WorksInAChild([&] {
      if (!kAllocationSurvivesForks) return true;
      for (std::uint64_t key = 0; key < 20; ++key) {
        const Decision decision = population.Choose(key);
        population.Learn(key, decision.id, 1);
      }
      population.Remove(population.Ids().front());
      return population.size() + 1 >= kArms - 1;
    })) << "fork "
        << i;
  }
  done = true;
}

// The thread sanitizer starts and ends threads of its own.
#ifndef __SANITIZE_THREAD__
// In a child, because the process may have used the pool before.
TEST(Fork, LeavesTheThreadOfSurveysToTheFirstBanditOfTheChild) {
  const auto threads = [] {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
  };
  EXPECT_TRUE(WorksInAChild([&] {
    SetSurveyThreads(1);
    const auto before = threads();  // a sanitizer may have one of its own
    const Bandit foreground(
        {.dim = 2, .search = CertifiedOptions{.background = false}});
    const Bandit scans({.dim = 2, .search = ScanOptions{}});
    const bool none = threads() == before;
    const Bandit first({.dim = 2});
    const Bandit second({.dim = 2});
    return none && threads() == before + 1;
  }));
}
#endif

// A child must not wait for the thread of its parent that was just about to
// make the pool of survey threads. (If this process has used the pool before,
// nothing is tested; ctest runs each test in a process of its own.)
TEST(Fork, LetsAChildUseThePoolThatAnotherThreadUsesForTheFirstTime) {
  for (int i = 0; i < 100 && !HasFailure(); ++i) {
    EXPECT_TRUE(WorksInAChild([] {
      const SharedMutex mutex(LockLevel::kArms);  // now forks take locks
      std::atomic<bool> begun = false;
      std::jthread other([&] {
        begun.wait(false);
        SetSurveyThreads(2);
      });
      begun = true;
      begun.notify_one();
      bool all_work = true;
      for (int j = 0; j < 3; ++j) {
        all_work &= WorksInAChild([] { return SurveyThreads() <= 2; });
      }
      return all_work;
    }));
  }
}

// The child is forked in the middle of a survey.
TEST(Fork, LetsAChildUseABanditWhoseArmsAreBeingSurveyed) {
  constexpr std::size_t kDim = 16;
  constexpr std::size_t kArms = 60'000;
  int in_the_middle = 0;
  for (std::uint64_t seed = 0; seed < 40 && in_the_middle < 5; ++seed) {
    // Without a first pass, and with rewards that can be learned, surveys soon
    // pay.
    Bandit bandit({.dim = kDim,
                   .search = CertifiedOptions{.first_pass = false},
                   .seed = seed});
    const std::vector<float> rows = testing::GaussianRows(kArms, kDim, seed);
    bandit.Add(testing::FirstIds(kArms), rows);
    const auto reward = [&](ArmId arm) {
      return arm < kArms ? double{rows[arm * kDim]} : 0.5;
    };
    const auto bounded = [&] { return bandit.stats().arms_bounded; };
    for (int t = 0; t < 300 && bounded() == 0; ++t) {
      const Decision decision = bandit.Choose();
      bandit.Learn(decision, reward(decision.arm));
    }
    if (bounded() == 0 || bandit.stats().snapshots > 0) continue;
    ++in_the_middle;
    EXPECT_TRUE(WorksInAChild([&] {
      if (!kAllocationSurvivesForks) return true;
      std::vector<float> row(kDim, 0.5F);
      bandit.Add(kArms, row);
      bandit.Update(std::vector<ArmId>{7},
                    FeatureRows(row.data(), 1, kDim, {}));
      bandit.Remove(8);
      // Until the child has taken a survey of its own.
      for (int t = 0; t < 400 || bandit.stats().snapshots == 0; ++t) {
        const Decision decision = bandit.Choose();
        bandit.Learn(decision, reward(decision.arm));
      }
      return bandit.size() == kArms;
    }));
    for (int t = 0; t < 10; ++t) bandit.Choose();
  }
  EXPECT_EQ(in_the_middle, 5) << "no survey was under way";
}

}  // namespace
}  // namespace manyarms
