#include <Eigen/Dense>
#include <algorithm>
#include <vector>

#include "base/check.h"
#include "manyarms/random.h"
#include "manyarms/research/adversary.h"

namespace manyarms {
namespace {

Eigen::VectorXd RandomUnitVector(std::size_t dim, RandomStream& random) {
  Eigen::VectorXd vector(static_cast<Eigen::Index>(dim));
  random.Gaussians(std::span(vector.data(), dim));
  return vector.normalized();
}

}  // namespace

ThoughtExperiment RunThoughtExperiment(std::size_t dim, std::size_t repetitions,
                                       std::uint64_t seed) {
  CheckCount("dimension", dim, 1, 1000);
  CheckCount("repetitions", repetitions, 1, 1'000'000);
  const auto d = static_cast<Eigen::Index>(dim);
  std::vector<double> best(repetitions);
  double smallest_adaptive = 1;
  for (std::size_t i = 0; i < repetitions; ++i) {
    RandomStream box(seed, RandomStream::Role::kTheta, i);
    RandomStream agent(seed, RandomStream::Role::kAdversary, i);
    const Eigen::VectorXd hidden = RandomUnitVector(dim, box);

    // Random queries are linearly independent with probability 1.
    Eigen::MatrixXd queries(d, d);
    for (Eigen::Index j = 0; j < d; ++j) {
      queries.row(j) = RandomUnitVector(dim, agent);
    }
    const Eigen::VectorXd answers = queries * hidden;
    best[i] =
        std::max(answers.maxCoeff(), RandomUnitVector(dim, agent).dot(hidden));

    const Eigen::VectorXd solved =
        queries.fullPivLu().solve(answers).normalized();
    smallest_adaptive = std::min(smallest_adaptive, solved.dot(hidden));
  }
  std::ranges::sort(best);
  return {.median_non_adaptive =
              (best[(repetitions - 1) / 2] + best[repetitions / 2]) / 2,
          .largest_non_adaptive = best.back(),
          .smallest_adaptive = smallest_adaptive};
}

}  // namespace manyarms
