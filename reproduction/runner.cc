#include "reproduction/runner.h"

#include <cmath>
#include <exception>
#include <mutex>

#include "manyarms/error.h"
#include "manyarms/research/experiment.h"
#include "reproduction/origin.h"
#include "reproduction/parallel.h"
#include "reproduction/setting.h"

namespace manyarms::reproduction {
namespace {

struct Stopped {};  // thrown to abandon a run

RunResult Run(const Json& settings, const Worlds& worlds,
              const Progress& progress) {
  const Json& world = settings.at("world");
  const std::uint64_t seed = settings.at("seed");
  const std::uint64_t steps = world.at("steps");
  const auto environment = worlds.Make(world, seed);
  return RunExperiment(
      ParseBandit(settings.at("bandit"), world.at("dim"), steps, seed),
      *environment, steps, progress);
}

// The estimated cost. A malformed job costs next to nothing, since it fails at
// once.
double Cost(const Job& job) {
  constexpr double kNextToNothing = 1e-3;
  try {
    const double seconds =
        EstimatedSeconds(job.settings.at("world"), job.settings.at("bandit"));
    return std::isfinite(seconds) ? seconds : kNextToNothing;
  } catch (const Json::exception&) {
    return kNextToNothing;
  }
}

class Runner {
 public:
  Runner(const std::vector<Job>& jobs, const Worlds& worlds, unsigned threads,
         RowFile& rows, RunObserver& observer, const std::atomic<bool>& stop)
      : jobs_(jobs),
        worlds_(worlds),
        rows_(rows),
        observer_(observer),
        stop_(stop),
        origin_(DescribeOrigin(threads)) {
    for (const Job& job : jobs) {
      costs_.push_back(Cost(job));
      total_ += costs_.back();
    }
  }

  // Throws nothing: the observer is told if a job fails, and Finish throws if
  // rows cannot be written.
  void Do(std::size_t index) {
    if (stop_ || broken_) return;
    const Job& job = jobs_[index];
    double share = 0;
    const auto report = [&](double done) {
      if (stop_ || broken_) throw Stopped();
      const std::scoped_lock lock(mutex_);
      done_ += (done - share) * costs_[index];
      share = done;
      observer_.Update(done_ / total_, outcome_.finished);
    };
    try {
      const Json row =
          MakeRow(job.settings, Run(job.settings, worlds_, report),
                  worlds_.Describe(job.settings.at("world")), origin_);
      Keep(row);
      report(1);
    } catch (const Stopped&) {
    } catch (const std::exception& error) {
      const std::scoped_lock lock(mutex_);
      if (broken_) return;
      ++outcome_.failed;
      done_ += (1 - share) * costs_[index];
      observer_.Failed(job, error.what());
    }
  }

  RunOutcome Finish() {
    if (broken_) std::rethrow_exception(broken_reason_);
    outcome_.stopped = outcome_.finished + outcome_.failed < jobs_.size();
    return outcome_;
  }

 private:
  void Keep(const Json& row) {
    const std::scoped_lock lock(mutex_);
    if (broken_) throw Stopped();
    try {
      rows_.Append(row);
    } catch (...) {
      broken_reason_ = std::current_exception();
      broken_ = true;
      throw Stopped();
    }
    ++outcome_.finished;
  }

  const std::vector<Job>& jobs_;
  const Worlds& worlds_;
  RowFile& rows_;
  RunObserver& observer_;
  const std::atomic<bool>& stop_;
  const Json origin_;
  std::vector<double> costs_;
  double total_ = 0;

  std::mutex mutex_;
  double done_ = 0;
  RunOutcome outcome_;
  std::exception_ptr broken_reason_;
  std::atomic<bool> broken_ = false;  // rows can no longer be written
};

}  // namespace

RunOutcome RunJobs(const std::vector<Job>& jobs, const Worlds& worlds,
                   unsigned threads, RowFile& rows, RunObserver& observer,
                   const std::atomic<bool>& stop) {
  Runner runner(jobs, worlds, threads, rows, observer, stop);
  ForEachInParallel(jobs.size(), threads,
                    [&runner](std::size_t i) { runner.Do(i); });
  return runner.Finish();
}

}  // namespace manyarms::reproduction
