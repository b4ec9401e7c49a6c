#ifndef MANYARMS_BENCH_LSH_BENCH_H_
#define MANYARMS_BENCH_LSH_BENCH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "lsh/adaptive_solver.h"
#include "manyarms/random.h"

/// Settings, instances and rows, shared by the parts of bench_lsh.
namespace manyarms::bench {

using Json = nlohmann::ordered_json;

struct Setting {
  double ratio = 0.5;   ///< c
  double sought = 0.8;  ///< r
  Reduction reduction = Reduction::kSymmetric;
  std::size_t dim = 16;
  std::size_t points = 10'000;  ///< K
  std::size_t min_depth = 1;
  double success = 0.9;  ///< probability of success to plan for
};

inline constexpr double kMaxBytes = 2e9;

lsh::MipsProblem ProblemOf(const Setting& setting);
lsh::SolverOptions OptionsOf(const Setting& setting);
/// The request with which the solver plans for points of length 1.
LshPlanRequest RequestOf(const Setting& setting);

/// Points and queries, each query with an answer. Points are slightly shorter
/// than 1, because one that rounding makes longer would be in another band,
/// with its own tree.
struct Instance {
  explicit Instance(std::size_t dim) : points(dim) {}

  lsh::PointTable points;
  std::vector<std::vector<double>> queries;  ///< of length 1, exact in float
  std::vector<lsh::PointNumber> answers;
};

enum class Kind {
  kWorst,   ///< the theory's worst case: one query, and all points but its
            ///< answer are just below the inner product of an answer
  kRandom,  ///< several queries, and points in random directions
};
std::string_view KindName(Kind kind);

/// Makes an instance whose answers have <q, p> = sought and random point
/// numbers. It is a pure function of its arguments. Throws std::logic_error if
/// rounding has spoiled the instance.
Instance MakeInstance(Kind kind, const Setting& setting, std::uint64_t seed);

/// Rounds to float.
std::vector<float> InFloat(std::span<const double> query);

Json Describe(const Setting& setting);
Json Describe(const LshPlan& plan);

/// Adds machine, instruction set and version to the row and prints it.
void Print(Json row);

/// The pairs (c, r) that `cost` measures.
inline constexpr std::array<std::pair<double, double>, 4> kCostProblems = {
    {{0.5, 0.8}, {0.5, 0.95}, {0.25, 0.5}, {0.8, 0.9}}};

/// Prints plans without measurements, also for more points than fit into a
/// machine, and the number of points from which trees are cheaper than scans.
void PrintPlans();

struct CostOptions {
  std::size_t least_points = 1000;
  std::size_t most_points = 1'000'000;
};
void MeasureCost(const CostOptions& options);

struct SuccessOptions {
  std::size_t instances = 1000;
  std::size_t points = 10'000;
  std::size_t threads = 2;
  double success = lsh::SolverOptions().success;  ///< to plan for
  std::uint64_t first_seed = 101'000'000;
};
void MeasureSuccess(const SuccessOptions& options);

struct DeletionOptions {
  std::size_t operations = 100'000;
  std::size_t points = 10'000;
};
void MeasureDeletion(const DeletionOptions& options);

}  // namespace manyarms::bench

#endif  // MANYARMS_BENCH_LSH_BENCH_H_
