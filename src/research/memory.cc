#include "research/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "manyarms/error.h"

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

struct BytesPerArm {
  double dim;
  bool quadratic;

  // Some of the arms once more, in order.
  double operator()(const CertifiedOptions&) const {
    return quadratic ? 3 : 3 + (4 * dim + 24) / 16;
  }
  double operator()(const ScanOptions&) const { return 1; }
  double operator()(const HnswOptions& options) const {
    const double lifted = quadratic ? dim * (dim + 1) / 2 : dim;
    const double graphs = options.metric == HnswOptions::Metric::kBoth ? 2 : 1;
    return graphs * (4 * lifted + 8 * static_cast<double>(options.links)) + 80;
  }
  // Without trees, which are planned within a bound of their own and may not be
  // built at all.
  double operator()(const LshOptions&) const { return Rows(); }
  double operator()(const LshTheoryOptions&) const { return Rows(); }

  // The arms once more, as rows.
  double Rows() const {
    return 4 * (quadratic ? dim * (dim + 1) / 2 : dim) + 60;
  }
};

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
  const bool eliminates =
      std::holds_alternative<EliminationOptions>(spec.policy);
  const double store = 4 * dim + 20;
  const double policy = eliminates ? 13 : 0;
  const double search = std::visit(BytesPerArm{dim, eliminates}, spec.search);
  // What comes in one change is handed over in one piece.
  const double handed = static_cast<double>(spec.environment.add) * 4 * dim;
  return MostArms(spec) * (store + policy + search) + handed +
         4 * static_cast<double>(spec.steps);
}

void CheckFitsInMemory(const RunSpec& spec) {
  const double needed = EstimatedBytes(spec);
  const double there = AvailableBytes();
  if (needed > there) {
    throw Error(
        ErrorCode::kTooLarge,
        fmt::format("{:.0f} arms of dimension {} over {} steps take about "
                    "{:.3g} GB, there are {:.3g}",
                    MostArms(spec), spec.environment.dim, spec.steps,
                    needed / 1e9, there / 1e9));
  }
}

}  // namespace manyarms
