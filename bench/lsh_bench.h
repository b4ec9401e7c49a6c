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

/// What the parts of bench_lsh have in common: settings, instances, rows.
namespace manyarms::bench {

using Json = nlohmann::ordered_json;

struct Setting {
  double ratio = 0.5;   ///< c
  double sought = 0.8;  ///< r
  Reduction reduction = Reduction::kSymmetric;
  std::size_t dim = 16;
  std::size_t points = 10'000;  ///< K
  std::size_t min_depth = 1;
  double success = 0.9;  ///< that is planned for
};

inline constexpr double kMaxBytes = 2e9;

lsh::MipsProblem ProblemOf(const Setting& setting);
lsh::SolverOptions OptionsOf(const Setting& setting);
/// As the solver plans for points of length 1.
LshPlanRequest RequestOf(const Setting& setting);

/// Points a little shorter than 1, lest rounding makes one longer, which would
/// put it into a tree of its own; and queries with an answer each.
struct Instance {
  explicit Instance(std::size_t dim) : points(dim) {}

  lsh::PointTable points;
  std::vector<std::vector<double>> queries;  ///< of length 1, exact in float
  std::vector<lsh::PointNumber> answers;
};

enum class Kind {
  kWorst,   ///< one query; all points but its answer just fail: the theory's
  kRandom,  ///< several queries, points of any direction
};
std::string_view KindName(Kind kind);

/// The answers have <q, p> = sought, and numbers without any order. A pure
/// function of its arguments. Throws std::logic_error if rounding has made of
/// it what it should not be.
Instance MakeInstance(Kind kind, const Setting& setting, std::uint64_t seed);

/// The nearest floats.
std::vector<float> InFloat(std::span<const double> query);

Json Describe(const Setting& setting);
Json Describe(const LshPlan& plan);

/// Prints a line with machine, instruction set and version added to it.
void Print(Json row);

/// (c, r) of the part `cost`.
inline constexpr std::array<std::pair<double, double>, 4> kCostProblems = {
    {{0.5, 0.8}, {0.5, 0.95}, {0.25, 0.5}, {0.8, 0.9}}};

/// Plans alone, for more points than fit into a machine, and from how many
/// points on they are trees.
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
  double success = lsh::SolverOptions().success;  ///< planned for
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
