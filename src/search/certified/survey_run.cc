#include "search/certified/survey_run.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <new>
#include <utility>

#include "base/fork_aware.h"
#include "search/certified/survey_threads.h"

namespace manyarms {

// Shared with the thread that runs it.
struct SurveyRun::Work {
  Work(const ArmStore& all, const Members& members, SurveyPlan&& given)
      : store(all), plan(std::move(given)) {
    if (plan.coarse_radius) return;  // it reads the compact copy
    arms.assign(members.arms().blocks().begin(), members.arms().blocks().end());
  }

  const ArmStore& store;
  SurveyPlan plan;
  std::vector<MaskedBlock> arms;
  std::atomic<bool> cancelled = false;
  std::atomic<bool> ended = true;  // also before it begins
  std::unique_ptr<Order> order;
  double seconds = 0;

  void Run(SurveyLocks locks) {
    const auto start = std::chrono::steady_clock::now();
    try {
      order = TakeSurvey(store, arms, plan, locks, cancelled);
    } catch (const std::bad_alloc&) {
      // Without memory the finder continues with the order that it has.
    }
    // It may be long until the finder is asked again.
    std::vector<MaskedBlock>().swap(arms);
    const std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    seconds = took.count();
    ended = true;
    ended.notify_all();
  }
};

SurveyRun::SurveyRun(const ArmStore& store, const Members& members,
                     SurveyPlan plan)
    : epoch_(members.epoch()),
      generation_(ForkGeneration()),
      work_(std::make_shared<Work>(store, members, std::move(plan))) {}

// A forked child must not wait: the parent's thread does not exist there.
SurveyRun::~SurveyRun() {
  if (generation_ != ForkGeneration()) return;
  work_->cancelled = true;
  work_->ended.wait(false);
}

bool SurveyRun::StartAside() {
  std::function<void()> work = [work = work_] {
    work->Run(SurveyLocks::kBySurvey);
  };
  work_->ended = false;
  SurveyPool::Start start = SurveyPool::Start::kBusy;
  try {
    start = SurveyPool::TryRun(std::move(work));
  } catch (...) {
    work_->ended = true;  // or the destructor would wait for it
    throw;
  }
  if (start == SurveyPool::Start::kBusy) work_->ended = true;
  if (start == SurveyPool::Start::kNoThread) RunNow();
  return start != SurveyPool::Start::kBusy;
}

void SurveyRun::RunNow() { work_->Run(SurveyLocks::kByAsker); }

bool SurveyRun::ended() const {
  return generation_ != ForkGeneration() || work_->ended;
}

std::unique_ptr<Order> SurveyRun::TakeOrder() {
  if (generation_ != ForkGeneration()) return nullptr;
  return std::move(work_->order);
}

std::size_t SurveyRun::memory_bytes() const {
  if (!ended() || generation_ != ForkGeneration() || !work_->order) return 0;
  return sizeof(Work) + work_->order->memory_bytes();
}

double SurveyRun::seconds() const {
  return generation_ == ForkGeneration() ? work_->seconds : 0;
}

}  // namespace manyarms
