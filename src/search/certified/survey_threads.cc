#include "search/certified/survey_threads.h"

#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/fork_aware.h"
#include "manyarms/threads.h"

namespace manyarms {
namespace {

constexpr std::size_t kMostThreads = 1024;

// A thread waits for work, and ends when there are more threads than wanted.
// Threads are detached: work that is under way when the process ends is given
// up.
class Pool : public ForkHandlers {
 public:
  static Pool& Get() {
    // Never destroyed, because threads may use it until the process ends.
    static auto* const pool = new ForkAware<Pool>(LockLevel::kIndex);
    return *pool;
  }

  std::size_t wanted() {
    const std::scoped_lock lock(state_->mutex);
    return state_->wanted;
  }

  void SetWanted(std::size_t threads) {
    const std::scoped_lock lock(state_->mutex);
    state_->wanted = threads;
    state_->changed.notify_all();
  }

  bool IsBusy() {
    const std::scoped_lock lock(state_->mutex);
    return state_->wanted > 0 && state_->busy >= state_->wanted;
  }

  void Prepare() {
    const std::scoped_lock lock(state_->mutex);
    if (state_->wanted > 0 && state_->threads == 0) StartThread(*state_);
  }

  SurveyPool::Start TryRun(std::function<void()> work) {
    const std::scoped_lock lock(state_->mutex);
    State& state = *state_;
    if (state.wanted == 0) return SurveyPool::Start::kNoThread;
    if (state.busy >= state.wanted) return SurveyPool::Start::kBusy;
    if (state.threads == state.busy && !StartThread(state)) {
      return SurveyPool::Start::kNoThread;
    }
    state.work.push_back(std::move(work));
    ++state.busy;
    state.changed.notify_one();
    return SurveyPool::Start::kStarted;
  }

 protected:
  Pool() = default;
  ~Pool() = default;

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t wanted = std::thread::hardware_concurrency() > 1 ? 1 : 0;
    std::size_t threads = 0;
    std::size_t busy = 0;  // or about to be
    std::vector<std::function<void()>> work;
    State* parents = nullptr;  // the parent process's, never used again
  };

  // Returns false if the system starts none. REQUIRES: the mutex is locked.
  static bool StartThread(State& state) {
    try {
      std::thread(&Pool::Work, &state).detach();
    } catch (const std::system_error&) {
      return false;
    } catch (const std::bad_alloc&) {
      return false;
    }
    ++state.threads;
    return true;
  }

  static void Work(State* state) {
    std::unique_lock lock(state->mutex);
    while (true) {
      state->changed.wait(lock, [&] {
        return !state->work.empty() || state->threads > state->wanted;
      });
      if (state->work.empty()) break;
      const std::function<void()> work = std::move(state->work.back());
      state->work.pop_back();
      lock.unlock();
      work();
      lock.lock();
      --state->busy;
    }
    --state->threads;
  }

  void LockBeforeFork() override { state_->mutex.lock(); }
  void UnlockInParent() override { state_->mutex.unlock(); }

  // None of the parent's threads exists in the child. The parent's state is
  // left alone, because to its condition variable they still seem to wait.
  void UnlockInChild() override {
    auto* const state = new State;
    state->wanted = state_->wanted;
    state->parents = std::exchange(state_, state);
  }

  State* state_ = new State;
};

// Made when the library is loaded. A child that was forked while another thread
// made it would wait for that thread for ever. Nor must a thread make it that
// holds a lock (base/fork_aware.h). (If there is no memory for it, the process
// ends.)
// NOLINTNEXTLINE(bugprone-throwing-static-initialization)
[[maybe_unused]] const Pool& made_early = Pool::Get();

}  // namespace

SurveyPool::Start SurveyPool::TryRun(std::function<void()> work) {
  return Pool::Get().TryRun(std::move(work));
}

void SurveyPool::Prepare() { Pool::Get().Prepare(); }

bool SurveyPool::IsBusy() { return Pool::Get().IsBusy(); }

std::size_t SurveyThreads() { return Pool::Get().wanted(); }

void SetSurveyThreads(std::size_t threads) {
  CheckCount("number of survey threads", threads, 0, kMostThreads);
  Pool::Get().SetWanted(threads);
}

}  // namespace manyarms
