#include "research/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "manyarms/error.h"
#include "policy/kinds.h"
#include "research/visited_world.h"
#include "research/zipf_law.h"
#include "search/kinds.h"

namespace manyarms {
namespace {

// What the machine has, or the container where that is less.
double AvailableBytes() {
  double bytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                 static_cast<double>(sysconf(_SC_PAGESIZE));
  std::ifstream limit("/sys/fs/cgroup/memory.max");
  double container = 0;
  if (limit >> container) bytes = std::min(bytes, container);
  return bytes;
}

double SearchBytesPerArm(const RunSpec& spec) {
  const Objective objective = ObjectiveOf(spec.policy);
  const auto dim = static_cast<double>(spec.environment.dim);
  return SearchKinds::Visit(spec.search, [&](auto kind, const auto& options) {
    return kind.BytesPerArm(options, objective, dim);
  });
}

double PolicyBytesPerArm(const PolicyOptions& policy) {
  return PolicyKinds::Visit(
      policy, [](auto kind, const auto&) { return kind.kBytesPerArm; });
}

// Those that come, with ts. (With ucb they take about twice as much.)
double LearnerBytes(const RunSpec& spec) {
  const SyntheticOptions& world = spec.environment;
  if (world.learners == 0) return 0;
  const double constant = world.context_constants ? 1 : 0;
  const auto dim = static_cast<double>(world.dim);
  const double coefficients =
      world.context_dim == 0
          ? dim
          : (static_cast<double>(world.context_dim) + constant) *
                (dim + constant);
  return ZipfLaw(world.learners, world.zipf).ExpectedDistinct(spec.steps) *
         (4 * (coefficients + 1) * (coefficients + 2) + 100);
}

}  // namespace

std::uint64_t PeakRssBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

double MostArms(const RunSpec& spec) {
  const SyntheticOptions& world = spec.environment;
  const auto arms = static_cast<double>(world.arms);
  const auto add = static_cast<double>(world.add);
  const auto remove = static_cast<double>(world.remove);
  const std::uint64_t changes = spec.steps / world.every;
  if (changes == 0) return arms;
  const double last = arms + static_cast<double>(changes) * (add - remove);
  return std::max({arms, arms - remove + add, last});
}

double EstimatedBytes(const RunSpec& spec) {
  const auto dim = static_cast<double>(spec.environment.dim);
  const double store = 4 * dim + 20;
  const double policy = PolicyBytesPerArm(spec.policy);
  const double search = SearchBytesPerArm(spec);
  // What comes in one change is handed over in one piece.
  const double handed = static_cast<double>(spec.environment.add) * 4 * dim;
  const bool kept_twice = NeedsVisitedWorld(spec.environment);
  const double stores = kept_twice ? 2 * store : store;
  return MostArms(spec) * (stores + policy + search) + handed +
         LearnerBytes(spec) + 4 * static_cast<double>(spec.steps);
}

void CheckFitsInMemory(const RunSpec& spec) {
  const double needed = EstimatedBytes(spec);
  const double there = AvailableBytes();
  if (needed > there) {
    const std::string learners =
        spec.environment.learners > 0
            ? fmt::format(" and {} learners", spec.environment.learners)
            : "";
    throw Error(
        ErrorCode::kTooLarge,
        fmt::format("{:.0f} arms of dimension {}{} over {} steps take about "
                    "{:.3g} GB, there are {:.3g}",
                    MostArms(spec), spec.environment.dim, learners, spec.steps,
                    needed / 1e9, there / 1e9));
  }
}

}  // namespace manyarms
