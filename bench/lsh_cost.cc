// Measures the costs of queries, building, insertions and deletions for several
// numbers of points, and compares them with the plan and with a scan.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "catalogue/arm_store.h"
#include "kernels/arm_set.h"
#include "kernels/kernels.h"
#include "lsh/sphere.h"
#include "lsh_bench.h"

namespace manyarms::bench {
namespace {

using Clock = std::chrono::steady_clock;
using lsh::PointNumber;

// The most inner products with directions that building may take, which is a
// minute or two. Larger trees are planned and sampled, but not built.
constexpr double kMostForWorst = 7e10;
constexpr double kMostForRandom = 1e10;
// An inner product in a deeper tree, whose nodes do not fit into a cache,
// counts this many times.
constexpr double kDeeper = 8;
// Trees are made until one of these limits is reached.
constexpr std::size_t kMostTrees = 15;
constexpr double kCellSeconds = 3;
// Reads are counted in trees of kSample points, for kSampleQueries queries.
constexpr std::size_t kSample = 20'000;
constexpr std::size_t kSampleQueries = 16;
constexpr std::size_t kChanges = 200;
constexpr int kRounds = 5;

volatile float sink;  // keeps the compiler from removing the work

double Seconds(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double Time(const std::function<void()>& work) {
  const Clock::time_point start = Clock::now();
  work();
  return Seconds(start);
}

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// All measurements of a setting, by name. Summary takes means of counts and
// medians of times.
struct Samples {
  void Add(const char* name, double value) { values[name].push_back(value); }

  std::map<std::string, std::vector<double>> values;
};

class Scan {
 public:
  explicit Scan(const lsh::PointTable& points) : store_(points.dim()) {
    store_.Reserve(points.size());
    for (PointNumber n = 0; n < points.size(); ++n) {
      arms_.Add(store_.Add(n, points[n]));
    }
  }
  float Best(std::span<const float> query) const {
    return kernels::BestInnerProduct(store_.blocks(), arms_.blocks(), query)
        .score;
  }

 private:
  ArmStore store_;
  ArmSet arms_;
};

// A tree over an instance, and the scan that it is compared with.
class Cell {
 public:
  Cell(Kind kind, const Setting& setting, std::uint64_t seed)
      : setting_(setting),
        seed_(seed),
        instance_(MakeInstance(kind, setting, seed)),
        scan_(instance_.points),
        solver_(instance_.points, ProblemOf(setting), OptionsOf(setting),
                seed) {
    queries_.reserve(instance_.queries.size());
    for (const auto& query : instance_.queries) {
      queries_.push_back(InFloat(query));
    }
  }

  void Build(Samples& samples) {
    solver_.PlanFor(0);  // planning is not part of building
    samples.Add("build_seconds", Time([&] {
                  for (PointNumber n = 0; n < setting_.points; ++n) {
                    solver_.Insert(n);
                  }
                }));
    samples.Add("bytes", static_cast<double>(solver_.bytes()));
  }

  // Verifies answers and counts their work, then measures times.
  void Ask(Kind kind, Samples& samples) {
    Verify(samples);
    TimeQueries("find_seconds", samples);
    if (kind == Kind::kRandom) return;
    // If the answer is missing, a query visits all leaves that it reaches.
    solver_.Erase(instance_.answers.front());
    TimeQueries("miss_seconds", samples);
    solver_.Insert(instance_.answers.front());
  }

  // Erases points and inserts them again, so that the tree does not change.
  void Change(Samples& samples) {
    RandomStream random(seed_, RandomStream::Role::kChurn, 0);
    std::vector<PointNumber> numbers(setting_.points);
    for (PointNumber n = 0; n < numbers.size(); ++n) numbers[n] = n;
    for (std::size_t i = 0; i < kChanges; ++i) {
      std::swap(numbers[i], numbers[i + random.Below(numbers.size() - i)]);
    }
    numbers.resize(kChanges);
    for (int round = 0; round < kRounds; ++round) {
      const double erase = Time([&] {
        for (const PointNumber n : numbers) solver_.Erase(n);
      });
      const double insert = Time([&] {
        for (const PointNumber n : numbers) solver_.Insert(n);
      });
      samples.Add("delete_seconds", erase / kChanges);
      samples.Add("insert_seconds", insert / kChanges);
    }
  }

 private:
  void Verify(Samples& samples) {
    const auto accepted = setting_.ratio * setting_.sought;
    for (std::size_t i = 0; i < queries_.size(); ++i) {
      const lsh::SolverAnswer answer = solver_.Find(instance_.queries[i]);
      samples.Add("found", answer.point ? 1 : 0);
      samples.Add("find_directions", static_cast<double>(answer.directions));
      samples.Add("find_scored", static_cast<double>(answer.scored));
      if (answer.point && lsh::InnerProduct(instance_.points[*answer.point],
                                            queries_[i]) < accepted) {
        throw std::logic_error("an answer is wrong");
      }
      constexpr double kRounding = 1e-5;
      if (scan_.Best(queries_[i]) < setting_.sought - kRounding) {
        throw std::logic_error("the scan is wrong");
      }
    }
  }

  // Times all queries in turns with the scan, each repeated for about a
  // millisecond.
  void TimeQueries(const char* name, Samples& samples) {
    const auto find = [&] {
      for (const auto& query : instance_.queries) {
        sink = static_cast<float>(solver_.Find(query).scored);
      }
    };
    const auto scan = [&] {
      for (const auto& query : queries_) sink = scan_.Best(query);
    };
    const auto calls = [](double once) {
      return std::clamp(static_cast<int>(1e-3 / once), 1, 1000);
    };
    const int finds = calls(Time(find));
    const int scans = calls(Time(scan));
    const auto repeat = [](int times, const auto& work) {
      return Time([&] {
               for (int i = 0; i < times; ++i) work();
             }) /
             times;
    };
    const auto each = static_cast<double>(queries_.size());
    for (int round = 0; round < kRounds; ++round) {
      samples.Add(name, repeat(finds, find) / each);
      samples.Add("scan_seconds", repeat(scans, scan) / each);
    }
  }

  const Setting setting_;
  const std::uint64_t seed_;
  const Instance instance_;
  const Scan scan_;
  lsh::AdaptiveSolver solver_;
  std::vector<std::vector<float>> queries_;
};

// A tree of the planned shape over a sample of the points, for counting. In the
// worst case each query has its own group of points, and counts are scaled up
// from that group. Answers are left out, because they would be a larger share
// of the sample than of all points.
class SampledTree {
 public:
  SampledTree(Kind kind, const Setting& setting, const LshPlan& plan,
              std::uint64_t seed)
      : setting_(setting),
        plan_(plan),
        band_(setting.reduction, 0, plan.shape, 1, seed) {
    const std::size_t groups = kind == Kind::kWorst ? kSampleQueries : 1;
    Setting group = setting;
    group.points = std::min(setting.points, kSample / groups);
    groups_.reserve(groups);
    for (std::size_t g = 0; g < groups; ++g) {
      AddGroup(MakeInstance(kind, group, seed * groups + g));
    }
  }

  void Count(Samples& samples) const {
    samples.Add("entries", static_cast<double>(band_.tree(0).entries()) /
                               static_cast<double>(band_.size()));
    for (const Group& group : groups_) {
      for (const auto& query : group.queries) {
        CountQuery(query, group, samples);
      }
    }
  }

 private:
  struct Group {
    std::vector<std::vector<double>> queries;
    PointNumber first, end;
  };

  void AddGroup(const Instance& instance) {
    const PointNumber first = next_;
    for (PointNumber n = 0; n < instance.points.size(); ++n) {
      if (std::ranges::count(instance.answers, n) > 0) continue;
      band_.Insert(next_++, instance.points[n]);
    }
    groups_.push_back({instance.queries, first, next_});
  }

  // Visits all leaves that the query reaches, as the plan assumes. The solver
  // would stop at an answer, and does not count reads.
  void CountQuery(std::span<const double> query, const Group& group,
                  Samples& samples) const {
    std::vector<float> on_sphere(plan_.shape.dim);
    lsh::QueryOnSphere(setting_.reduction, InFloat(query), on_sphere);
    lsh::Meetings meetings;
    meetings.Begin(next_);
    std::size_t reads = 0;
    std::size_t different = 0;
    const auto directions = band_.tree(0).VisitLeaves(
        on_sphere, static_cast<float>(plan_.query_threshold),
        [&](std::span<const PointNumber> leaf) {
          for (const PointNumber n : leaf) {
            if (n < group.first || n >= group.end) continue;
            ++reads;
            different += meetings.First(n) ? 1 : 0;
          }
          return true;
        });
    const double scale = static_cast<double>(setting_.points) /
                         static_cast<double>(group.end - group.first);
    samples.Add("directions", static_cast<double>(directions));
    samples.Add("reads", scale * static_cast<double>(reads));
    samples.Add("candidates", scale * static_cast<double>(different));
  }

  const Setting setting_;
  const LshPlan plan_;
  lsh::Band band_;
  PointNumber next_ = 0;
  std::vector<Group> groups_;
};

Json Summary(const Samples& samples) {
  Json row;
  for (const auto& [name, values] : samples.values) {
    if (name.ends_with("_seconds")) {
      row[name] = Median(values);
      continue;
    }
    double sum = 0;
    for (const double value : values) sum += value;
    row[name] = sum / static_cast<double>(values.size());
  }
  return row;
}

bool IsBuilt(Kind kind, const LshPlan& plan, double to_build) {
  return to_build * (plan.shape.depth > 1 ? kDeeper : 1) <=
         (kind == Kind::kWorst ? kMostForWorst : kMostForRandom);
}

// Calls work(seed) for up to kMostTrees seeds, until kCellSeconds are over.
template <class Work>
std::size_t Repeat(const Work& work) {
  const Clock::time_point start = Clock::now();
  std::size_t trees = 0;
  while (trees < kMostTrees && (trees == 0 || Seconds(start) < kCellSeconds)) {
    work(++trees);
  }
  return trees;
}

void MeasureCell(Kind kind, const Setting& setting) {
  const Clock::time_point start = Clock::now();
  const LshPlan plan = PlanLsh(RequestOf(setting));
  LshPlanRequest free = RequestOf(setting);
  free.min_depth = 0;
  Json row;
  row["part"] = "cost";
  row["kind"] = KindName(kind);
  row.update(Describe(setting));
  row["plan"] = Describe(plan);
  row["free"] = Describe(PlanLsh(free));
  const double to_build =
      static_cast<double>(setting.points) * plan.insert_directions;
  const bool built = IsBuilt(kind, plan, to_build);
  if (!built) {
    row["left_out"] = fmt::format(
        "times: building takes {:.2g} inner products with directions",
        to_build);
  }
  Samples samples;
  const std::size_t sampled = Repeat([&](std::uint64_t seed) {
    SampledTree(kind, setting, plan, seed).Count(samples);
  });
  row["sampled_trees"] = sampled;
  row["sampled_queries"] = samples.values["reads"].size();
  row["trees"] = !built ? 0 : Repeat([&](std::uint64_t seed) {
    Cell cell(kind, setting, seed);
    cell.Build(samples);
    cell.Ask(kind, samples);
    cell.Change(samples);
  });
  row["measured"] = Summary(samples);
  row["seconds"] = Seconds(start);
  Print(row);
}

void MeasureCells(const CostOptions& options) {
  constexpr std::size_t kMostOfPapers = 100'000;
  for (const std::size_t points :
       {1000U, 3162U, 10'000U, 31'623U, 100'000U, 316'228U, 1'000'000U}) {
    if (points < options.least_points || points > options.most_points) {
      continue;
    }
    for (const Reduction reduction :
         {Reduction::kSymmetric, Reduction::kPaper}) {
      if (reduction == Reduction::kPaper && points > kMostOfPapers) continue;
      for (const auto& [ratio, sought] : kCostProblems) {
        for (const Kind kind : {Kind::kWorst, Kind::kRandom}) {
          MeasureCell(kind, {.ratio = ratio,
                             .sought = sought,
                             .reduction = reduction,
                             .points = points});
        }
      }
    }
  }
}

}  // namespace

void MeasureCost(const CostOptions& options) {
  PrintPlans();
  MeasureCells(options);
}

}  // namespace manyarms::bench
