#include "search/certified/survey_run.h"

#include <atomic>
#include <chrono>
#include <new>
#include <utility>

#include "base/fork_aware.h"
#include "search/certified/survey_threads.h"

namespace manyarms {

// Shared with the thread that runs it.
struct SurveyRun::Work {
  Work(const ArmStore& all, const Members& members, SurveyPlan&& given)
      : store(all),
        plan(std::move(given)),
        arms(members.arms().blocks().begin(), members.arms().blocks().end()) {}

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
  work_->ended = false;
  switch (SurveyPool::TryRun(
      [work = work_] { work->Run(SurveyLocks::kBySurvey); })) {
    case SurveyPool::Start::kStarted:
      return true;
    case SurveyPool::Start::kBusy:
      work_->ended = true;
      return false;
    case SurveyPool::Start::kNoThread:
      RunNow();
      return true;
  }
  return false;
}

void SurveyRun::RunNow() { work_->Run(SurveyLocks::kByAsker); }

bool SurveyRun::ended() const {
  return generation_ != ForkGeneration() || work_->ended;
}

std::unique_ptr<Order> SurveyRun::TakeOrder() {
  if (generation_ != ForkGeneration()) return nullptr;
  return std::move(work_->order);
}

double SurveyRun::seconds() const {
  return generation_ == ForkGeneration() ? work_->seconds : 0;
}

}  // namespace manyarms
