#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands.h"
#include "experiments.h"
#include "manyarms/error.h"
#include "output.h"
#include "progress.h"
#include "reproduction/figures.h"
#include "reproduction/part.h"
#include "reproduction/plan.h"
#include "reproduction/rows.h"
#include "reproduction/runner.h"
#include "reproduction/spec.h"
#include "reproduction/worlds.h"
#include "reproduction/write.h"

namespace manyarms::cli {
namespace {

namespace fs = std::filesystem;
using namespace reproduction;

struct Flags {
  std::vector<std::string> tables;  // if empty, all except the grid
  PlanOptions plan;
  std::string part = "1/1";
  unsigned threads = 1;
  std::string movielens;
  std::string experiments;
  std::string out = "results";
};

// Set by Ctrl-C. A second Ctrl-C ends the program at once.
std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

class InterruptHandler {
 public:
  InterruptHandler() {
    struct sigaction action = {};
    action.sa_handler = [](int) { interrupted = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &before_);
  }
  ~InterruptHandler() { sigaction(SIGINT, &before_, nullptr); }
  InterruptHandler(const InterruptHandler&) = delete;
  InterruptHandler& operator=(const InterruptHandler&) = delete;

 private:
  struct sigaction before_ = {};
};

class ProgressObserver final : public RunObserver {
 public:
  ProgressObserver(ProgressLine& line, std::size_t runs)
      : line_(line), runs_(runs) {
    line_.Begin(Label(0));
  }

  void Update(double done, std::size_t finished) override {
    line_.Rename(Label(finished));
    line_.Update(done);
  }

  void Failed(const Job& job, const std::string& reason) override {
    line_.Say(fmt::format("{} failed: {}", job.label, reason));
  }

 private:
  std::string Label(std::size_t finished) const {
    return fmt::format("{} of {} runs", finished, runs_);
  }

  ProgressLine& line_;
  std::size_t runs_;
};

std::vector<Table> ChosenTables(const Flags& flags,
                                const std::vector<Table>& all) {
  std::vector<Table> chosen;
  if (flags.tables.empty()) {
    std::ranges::copy_if(all, std::back_inserter(chosen),
                         [](const Table& t) { return t.id != "grid"; });
  }
  for (const std::string& id : flags.tables) {
    const auto found = std::ranges::find(all, id, &Table::id);
    if (found == all.end()) {
      std::vector<std::string> ids;
      ids.reserve(all.size());
      for (const Table& table : all) ids.push_back(table.id);
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("there is no table '{}', only {}", id,
                              fmt::join(ids, ", ")));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

// If the data are not given, leaves out Table 3 and says how to get them.
Worlds MakeWorlds(const Flags& flags, std::vector<Table>& tables,
                  ProgressLine& progress) {
  if (std::ranges::none_of(tables, &Table::is_movielens)) return {};
  if (!flags.movielens.empty()) return Worlds(fs::path(flags.movielens));
  constexpr const char* kHowTo =
      "it needs MovieLens-1M, whose licence forbids redistribution: fetch it "
      "with scripts/get-movielens FOLDER, or from "
      "https://grouplens.org/datasets/movielens/1m/, and add --movielens "
      "FOLDER";
  std::erase_if(tables, &Table::is_movielens);
  if (tables.empty()) {
    throw Error(ErrorCode::kIo,
                fmt::format("Table 3 cannot be made: {}", kHowTo));
  }
  progress.Say(fmt::format("Table 3 is left out: {}.", kHowTo));
  return {};
}

std::vector<Job> NotDoneYet(const std::vector<Job>& jobs,
                            const RowsBySettings& rows) {
  std::vector<Job> left;
  std::ranges::copy_if(jobs, std::back_inserter(left), [&](const Job& job) {
    return !rows.contains(job.settings.dump());
  });
  return left;
}

void MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw Error(ErrorCode::kIo, fmt::format("cannot make the folder {}: {}",
                                            folder.string(), error.message()));
  }
}

// Does the runs that are not in the file yet. Returns how many failed.
std::size_t DoMissingRuns(const Flags& flags, const Part& part,
                          std::vector<Table> tables, const fs::path& file,
                          ProgressLine& progress) {
  Worlds worlds = MakeWorlds(flags, tables, progress);
  const ReadRows before = ReadRowFile(file);
  for (const std::string& complaint : before.complaints) {
    progress.Say(complaint + " and is skipped");
  }
  worlds.CheckSameData(before.rows);
  const std::vector<Job> all = JobsOf(part, PlanRuns(tables, flags.plan));
  const std::vector<Job> jobs = NotDoneYet(all, before.rows);
  if (jobs.size() < all.size()) {
    progress.Say(fmt::format("{} of {} runs are in {} already",
                             all.size() - jobs.size(), all.size(),
                             file.string()));
  }
  RowFile rows(file);
  const InterruptHandler handler;
  worlds.Prepare(jobs, flags.threads);
  ProgressObserver observer(progress, jobs.size());
  const RunOutcome outcome =
      RunJobs(jobs, worlds, flags.threads, rows, observer, interrupted);
  progress.Erase();
  if (outcome.stopped) {
    throw std::runtime_error(
        fmt::format("stopped after {} of {} runs, which are kept; the "
                    "same command continues from there",
                    outcome.finished, jobs.size()));
  }
  return outcome.failed;
}

// Not an error: rows and tables.md can be made without it, and
// `manyarms report` makes the page later.
void WarnWithoutGnuplot(ProgressLine& progress) {
  try {
    RequireGnuplot();
  } catch (const Error& error) {
    progress.Say(fmt::format("there will be no page with plots, because {}",
                             error.what()));
  }
}

void Reproduce(const Flags& flags) {
  const Part part = ParsePart(flags.part);
  const std::vector<Table> tables = TablesOf(flags.experiments);
  const std::vector<Table> chosen = ChosenTables(flags, tables);
  const fs::path folder = flags.out;
  MakeFolder(folder);
  const fs::path file = folder / "rows.jsonl";
  Output output("");
  ProgressLine progress;
  if (part.is_all()) WarnWithoutGnuplot(progress);
  const std::size_t failed = DoMissingRuns(flags, part, chosen, file, progress);
  const RowsBySettings rows = ReadRowFile(file).rows;
  if (part.is_all() && !rows.empty()) {
    const WrittenReport written = WriteReport(folder, tables, rows);
    output.Line(written.tables);
    output.Line("The page with all plots: " + written.page.string());
  }
  if (failed > 0) {
    throw std::runtime_error(
        fmt::format("{} runs failed, see above; the same command tries "
                    "them again",
                    failed));
  }
}

}  // namespace

void AddReproduce(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "reproduce",
      "Repeat the paper's experiments and print its figures beside ours");
  command->fallthrough();
  command->option_defaults()->always_capture_default();
  command
      ->add_option(
          "--tables", flags->tables,
          "Tables to make, separated by commas, instead of all; 'grid' "
          "searches for Table 3's constants")
      ->delimiter(',');
  command->add_flag("--quick", flags->plan.quick,
                    "Take a few minutes instead of hours, with fewer runs");
  command
      ->add_option("--runs", flags->plan.runs,
                   "Runs of each algorithm in synthetic worlds")
      ->check(CLI::Range(1, 10000));
  command->add_option("--users", flags->plan.users, "Users of Table 3")
      ->check(CLI::Range(1, 300));
  command->add_option("--part", flags->part,
                      "Do only a part of the runs, such as 3/100, and write "
                      "no report");
  command
      ->add_option("--threads", flags->threads,
                   "Number of runs at a time; times are most accurate with 1")
      ->check(CLI::Range(1, 1024));
  command->add_option("--seed", flags->plan.seed, "Seed of the first run")
      ->check(Count());
  command->add_option("--movielens", flags->movielens,
                      "Folder or file with the MovieLens ratings, for Table 3");
  AddExperimentsOption(*command, flags->experiments);
  command->add_option("--out", flags->out,
                      "Folder for rows, tables and page; runs whose rows are "
                      "there are not repeated");
  command->callback([flags] { Reproduce(*flags); });
}

}  // namespace manyarms::cli
