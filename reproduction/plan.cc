#include "reproduction/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reproduction/movielens/split.h"

namespace manyarms::reproduction {
namespace {

constexpr std::uint64_t kQuickRuns = 3;
constexpr std::uint64_t kQuickUsers = 10;
// Graphs over more arms than this take many seconds to build, and those over
// very many arms about a minute.
constexpr std::uint64_t kManyArms = 5000;
constexpr std::uint64_t kVeryManyArms = 50000;

std::uint64_t RunCount(const Json& world, const PlanOptions& options) {
  if (world.at("kind") == "movielens") {
    const Json split = world.value("split", Json::object());
    const std::uint64_t available =
        world.at("users") == "validation"
            ? split.value("validation", SplitOptions().validation)
            : split.value("test", SplitOptions().test);
    const std::uint64_t wanted = std::min(available, options.users);
    return options.quick ? std::min(wanted, kQuickUsers) : wanted;
  }
  if (!options.quick) return options.runs;
  return world.at("arms") > kManyArms ? 1 : std::min(kQuickRuns, options.runs);
}

Json RunSettings(const Setting& setting, const Algorithm& algorithm,
                 Theta theta, std::uint64_t run, const PlanOptions& options) {
  const std::uint64_t seed = options.seed + run;
  Json world = setting.world;
  if (world.at("kind") == "movielens") {
    world["user"] = run;
  } else {
    world["theta_seed"] = theta == Theta::kOne ? options.seed : seed;
  }
  return {{"world", world}, {"bandit", algorithm.bandit}, {"seed", seed}};
}

// Plans each run once, even if several tables ask for it.
class Planner {
 public:
  explicit Planner(const PlanOptions& options) : options_(options) {}

  void Add(const Table& table, const Setting& setting, Theta theta) {
    std::vector<std::vector<Json>> runs;
    runs.reserve(setting.algorithms.size());
    for (const Algorithm& algorithm : setting.algorithms) {
      runs.push_back(RunsOf(setting, algorithm, theta, options_));
    }
    const std::size_t count = runs.empty() ? 0 : runs.front().size();
    for (std::size_t run = 0; run < count; ++run) {
      for (std::size_t i = 0; i < runs.size(); ++i) {
        if (options_.quick && IsOneGraphTooMany(runs[i][run])) continue;
        if (!planned_.insert(runs[i][run].dump()).second) continue;
        jobs_.push_back(
            {fmt::format("Table {}, {}, {}, run {}{}", table.id, setting.name,
                         setting.algorithms[i].name, run + 1,
                         theta == Theta::kOne ? " with one θ*" : ""),
             runs[i][run]});
      }
    }
  }

  const std::vector<Job>& jobs() const { return jobs_; }

 private:
  // A quick reproduction has time for only one graph over very many arms for
  // each policy.
  bool IsOneGraphTooMany(const Json& run) {
    const Json& bandit = run.at("bandit");
    const auto arms = run.at("world").at("arms").get<std::uint64_t>();
    const auto search = bandit.at("search").get<std::string>();
    if (search != "hnsw" || arms <= kVeryManyArms) return false;
    const auto policy = bandit.at("policy").get<std::string>();
    return !large_graphs_.insert(policy).second;
  }

  const PlanOptions options_;
  std::set<std::string> large_graphs_;  // policies that have theirs
  std::set<std::string> planned_;
  std::vector<Job> jobs_;
};

}  // namespace

std::vector<Json> RunsOf(const Setting& setting, const Algorithm& algorithm,
                         Theta theta, const PlanOptions& options) {
  std::vector<Json> runs;
  const bool movielens = setting.world.at("kind") == "movielens";
  if (theta == Theta::kOne && (movielens || options.quick)) return runs;
  const std::uint64_t count = RunCount(setting.world, options);
  for (std::uint64_t run = 0; run < count; ++run) {
    runs.push_back(RunSettings(setting, algorithm, theta, run, options));
  }
  return runs;
}

std::vector<Job> PlanRuns(const std::vector<Table>& tables,
                          const PlanOptions& options) {
  Planner planner(options);
  for (const Theta theta : {Theta::kNew, Theta::kOne}) {
    for (const Table& table : tables) {
      for (const Setting& setting : table.settings) {
        planner.Add(table, setting, theta);
      }
    }
  }
  return planner.jobs();
}

}  // namespace manyarms::reproduction
