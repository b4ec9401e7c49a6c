#include "lsh_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "kernels/kernels.h"
#include "manyarms/version.h"

namespace manyarms::bench {
namespace {

constexpr double kLength = 1 - 1e-6;
// Far larger than the rounding error of an inner product in float, and far too
// small to change a probability.
constexpr double kMargin = 2e-6;
constexpr std::size_t kRandomQueries = 16;

std::vector<double> RandomQuery(RandomStream& random, std::size_t dim) {
  std::vector<double> query(dim);
  random.Gaussians(query);
  double square = 0;
  for (const double value : query) square += value * value;
  for (double& value : query) {
    value = static_cast<float>(value / std::sqrt(square));
  }
  return query;
}

double Dot(std::span<const double> query, std::span<const float> point) {
  double sum = 0;
  for (std::size_t i = 0; i < query.size(); ++i) sum += query[i] * point[i];
  return sum;
}

// Scales the point to length kLength.
void Stretch(std::span<float> point) {
  const auto factor = static_cast<float>(kLength / lsh::Length(point));
  for (float& value : point) value *= factor;
}

// Turns Gaussian values into a point that is uniform among those of length
// kLength with this inner product.
void PutAt(std::span<const double> query, double inner_product,
           std::span<float> point) {
  const double along = Dot(query, point);
  double square = 0;
  for (std::size_t i = 0; i < query.size(); ++i) {
    const double across = point[i] - along * query[i];
    square += across * across;
  }
  const double factor =
      std::sqrt((kLength * kLength - inner_product * inner_product) / square);
  for (std::size_t i = 0; i < query.size(); ++i) {
    const double across = point[i] - along * query[i];
    point[i] = static_cast<float>(inner_product * query[i] + factor * across);
  }
}

// Draws `count` distinct numbers below `end`.
std::vector<lsh::PointNumber> Places(RandomStream& random, std::size_t count,
                                     std::size_t end) {
  std::vector<lsh::PointNumber> places;
  places.reserve(count);
  while (places.size() < count) {
    const auto place = static_cast<lsh::PointNumber>(random.Below(end));
    if (std::ranges::find(places, place) == places.end()) {
      places.push_back(place);
    }
  }
  return places;
}

void CheckAnswers(const Instance& instance, const Setting& setting) {
  for (std::size_t i = 0; i < instance.queries.size(); ++i) {
    if (Dot(instance.queries[i], instance.points[instance.answers[i]]) <
        setting.sought) {
      throw std::logic_error("an instance has no answer");
    }
  }
}

std::string Machine() {
  std::string model = "unknown processor";
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; std::getline(cpus, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      model = line.substr(colon + 2);
    }
  }
  return fmt::format("{}, {} cores", model,
                     std::thread::hardware_concurrency());
}

}  // namespace

lsh::MipsProblem ProblemOf(const Setting& setting) {
  return {.ratio = setting.ratio, .sought = setting.sought, .slack = 0};
}

lsh::SolverOptions OptionsOf(const Setting& setting) {
  return {.reduction = setting.reduction,
          .copies = 1,
          .success = setting.success,
          .points = setting.points,
          .min_depth = setting.min_depth,
          .max_bytes = kMaxBytes};
}

LshPlanRequest RequestOf(const Setting& setting) {
  return {
      .points = setting.points,
      .dim = SphereDim(setting.reduction, setting.dim),
      .near = SphereCosine(setting.reduction, setting.sought),
      .far = {SphereCosine(setting.reduction, setting.ratio * setting.sought)},
      .success = setting.success,
      .min_depth = setting.min_depth,
      .max_bytes = kMaxBytes};
}

std::string_view KindName(Kind kind) {
  return kind == Kind::kWorst ? "worst" : "random";
}

Instance MakeInstance(Kind kind, const Setting& setting, std::uint64_t seed) {
  Instance instance(setting.dim);
  RandomStream of_queries(seed, RandomStream::Role::kTheta, 0);
  const std::size_t queries = kind == Kind::kWorst ? 1 : kRandomQueries;
  instance.queries.reserve(queries);
  for (std::size_t i = 0; i < queries; ++i) {
    instance.queries.push_back(RandomQuery(of_queries, setting.dim));
  }
  instance.answers = Places(of_queries, queries, setting.points);

  const double accepted = setting.ratio * setting.sought;
  RandomStream of_points(seed, RandomStream::Role::kArm, 0);
  std::vector<float> point(setting.dim);
  for (lsh::PointNumber n = 0; n < setting.points; ++n) {
    of_points.Gaussians(point);
    const auto answer = std::ranges::find(instance.answers, n);
    if (answer != instance.answers.end()) {
      const auto query =
          static_cast<std::size_t>(answer - instance.answers.begin());
      PutAt(instance.queries[query], setting.sought + kMargin, point);
    } else if (kind == Kind::kRandom) {
      Stretch(point);
    } else {
      PutAt(instance.queries[0], accepted - kMargin, point);
      if (Dot(instance.queries[0], point) >= accepted) {
        throw std::logic_error(
            "a point reaches the inner product of an answer");
      }
    }
    instance.points.Add(point);
  }
  CheckAnswers(instance, setting);
  return instance;
}

std::vector<float> InFloat(std::span<const double> query) {
  std::vector<float> out(query.size());
  std::ranges::transform(query, out.begin(),
                         [](double v) { return static_cast<float>(v); });
  return out;
}

Json Describe(const Setting& setting) {
  const LshPlanRequest request = RequestOf(setting);
  Json row;
  row["reduction"] = ReductionName(setting.reduction);
  row["ratio"] = setting.ratio;
  row["sought"] = setting.sought;
  row["dim"] = setting.dim;
  row["points"] = setting.points;
  row["min_depth"] = setting.min_depth;
  row["success"] = setting.success;
  row["paper_exponent"] = PaperExponent(setting.ratio, setting.sought);
  row["sphere_exponent"] =
      AsymptoticExponent(request.near, request.far.front());
  return row;
}

Json Describe(const LshPlan& plan) {
  Json row;
  row["depth"] = plan.shape.depth;
  row["branching"] = plan.shape.branching;
  row["point_threshold"] = plan.shape.point_threshold;
  // For a scan it is minus infinity, which JSON cannot represent.
  if (!plan.is_scan()) row["query_threshold"] = plan.query_threshold;
  row["success"] = plan.success;
  row["directions"] = plan.directions;
  row["candidates"] = plan.candidates;
  row["reads"] = plan.reads;
  row["cost"] = plan.cost;
  row["entries"] = plan.entries;
  row["insert_directions"] = plan.insert_directions;
  row["bytes"] = plan.bytes;
  return row;
}

void Print(Json row) {
  row["machine"] = Machine();
  row["instructions"] = kernels::InstructionSet();
  row["version"] = kVersion;
  fmt::print("{}\n", row.dump());
  std::fflush(stdout);
}

}  // namespace manyarms::bench
