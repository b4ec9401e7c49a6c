// Makes random insertions and deletions. The tree must then equal one built
// from the points that are left, and deletions should not take much longer than
// insertions.

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "lsh/band.h"
#include "lsh_bench.h"

namespace manyarms::bench {
namespace {

using Clock = std::chrono::steady_clock;
using lsh::Band;
using lsh::PointNumber;

struct Times {
  std::vector<double> insertions, deletions;  // seconds
};

double Seconds(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// Draws random points, and inserts those that the band lacks and erases the
// others. If the band starts with half of the points, it keeps about half.
Times ChangeAtRandom(const lsh::PointTable& points, std::size_t operations,
                     std::vector<bool>& there, Band& band) {
  Times times;
  times.insertions.reserve(operations);
  times.deletions.reserve(operations);
  RandomStream random(1, RandomStream::Role::kChurn, 0);
  for (std::size_t i = 0; i < operations; ++i) {
    const auto n = static_cast<PointNumber>(random.Below(there.size()));
    const Clock::time_point start = Clock::now();
    if (there[n]) {
      band.Erase(n, points[n]);
      times.deletions.push_back(Seconds(start));
    } else {
      band.Insert(n, points[n]);
      times.insertions.push_back(Seconds(start));
    }
    there[n] = !there[n];
  }
  return times;
}

// Whether the band equals one built from these points. Also checks that it
// differs if a point is missing, since the comparison would else prove nothing.
bool EqualsFreshOne(const lsh::PointTable& points,
                    const std::vector<bool>& there, const Band& band,
                    Band fresh) {
  PointNumber last = 0;
  for (PointNumber n = 0; n < there.size(); ++n) {
    if (!there[n]) continue;
    fresh.Insert(n, points[n]);
    last = n;
  }
  const bool equal = fresh == band;
  fresh.Erase(last, points[last]);
  if (fresh == band && band.tree(0).entries() > 0) {
    throw std::logic_error("trees of different points compare equal");
  }
  return equal;
}

void Measure(const Setting& setting, const TreeShape& shape,
             const char* shape_from, const DeletionOptions& options) {
  Setting twice = setting;
  twice.points *= 2;
  const Instance instance = MakeInstance(Kind::kRandom, twice, 1);
  constexpr lsh::BandNumber kBand = 0;  // for lengths up to 1
  constexpr std::uint64_t kSeed = 1;
  Band band(setting.reduction, kBand, shape, 1, kSeed);
  std::vector<bool> there(twice.points, false);
  for (PointNumber n = 0; n < setting.points; ++n) {
    band.Insert(n, instance.points[n]);
    there[n] = true;
  }
  const Times times =
      ChangeAtRandom(instance.points, options.operations, there, band);
  Json row;
  row["part"] = "deletion";
  row.update(Describe(setting));
  row["shape_from"] = shape_from;
  row["depth"] = shape.depth;
  row["branching"] = shape.branching;
  row["point_threshold"] = shape.point_threshold;
  row["operations"] = options.operations;
  row["insertions"] = times.insertions.size();
  row["deletions"] = times.deletions.size();
  row["points_left"] = band.size();
  row["entries_left"] = band.tree(0).entries();
  row["equal"] =
      EqualsFreshOne(instance.points, there, band,
                     Band(setting.reduction, kBand, shape, 1, kSeed));
  row["insert_seconds"] = {{"median", Median(times.insertions)},
                           {"mean", Mean(times.insertions)}};
  row["delete_seconds"] = {{"median", Median(times.deletions)},
                           {"mean", Mean(times.deletions)}};
  Print(row);
}

}  // namespace

void MeasureDeletion(const DeletionOptions& options) {
  for (const std::size_t depth : {1U, 2U}) {
    Setting setting{.points = options.points, .min_depth = depth};
    LshPlanRequest request = RequestOf(setting);
    request.max_depth = depth;
    TreeShape shape = PlanLsh(request).shape;
    Measure(setting, shape, "symmetric", options);

    // A tree planned for the paper's reduction has only two children per node
    // at this size, so the other reduction's shape is tried too.
    setting.reduction = Reduction::kPaper;
    request = RequestOf(setting);
    request.max_depth = depth;
    shape.dim = request.dim;
    Measure(setting, shape, "symmetric", options);
    Measure(setting, PlanLsh(request).shape, "paper", options);
  }
}

}  // namespace manyarms::bench
