// What the probability of a choice costs: 1,000 draws among a million arms of
// 16 features, after 2,000 steps of ts with certified search, for a bandit and
// for a learner of a population that is answered by first passes so far. It
// fails if the probabilities of all arms do not add up to 1.
//   build/bench_propensity

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "manyarms/bandit.h"
#include "manyarms/population.h"
#include "manyarms/random.h"

namespace manyarms {
namespace {

using Clock = std::chrono::steady_clock;
using Role = RandomStream::Role;

constexpr std::size_t kArms = 1'000'000;
constexpr std::size_t kDim = 16;
constexpr std::uint64_t kSteps = 2'000;
constexpr int kRepeats = 15;

double MedianMilliseconds(const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < kRepeats; ++i) {
    const auto begin = Clock::now();
    work();
    times.push_back(
        std::chrono::duration<double, std::milli>(Clock::now() - begin)
            .count());
  }
  std::ranges::nth_element(times, times.begin() + kRepeats / 2);
  return times[kRepeats / 2];
}

class World {
 public:
  World() : rows_(kArms * kDim), ids_(kArms), theta_(kDim) {
    RandomStream(1, Role::kArm, 0).Gaussians(rows_);
    RandomStream(1, Role::kTheta, 0).Gaussians(theta_);
    std::iota(ids_.begin(), ids_.end(), ArmId{0});
  }

  const std::vector<float>& rows() const { return rows_; }
  const std::vector<ArmId>& ids() const { return ids_; }

  double Reward(ArmId arm, std::uint64_t step) const {
    double mean = 0;
    for (std::size_t j = 0; j < kDim; ++j) {
      mean += theta_[j] * rows_[arm * kDim + j];
    }
    return mean + RandomStream(1, Role::kNoise, step).Gaussian();
  }

 private:
  std::vector<float> rows_;
  std::vector<ArmId> ids_;
  std::vector<double> theta_;
};

void Run() {
  const World world;
  Bandit bandit({.dim = kDim});
  bandit.Add(world.ids(), world.rows());
  for (std::uint64_t t = 0; t < kSteps; ++t) {
    const Decision decision = bandit.Choose();
    bandit.Learn(decision, world.Reward(decision.arm, t));
  }
  const Decision decision = bandit.Choose();
  fmt::print("bandit, after {} steps: {:.2f} ms for 1,000 draws\n", kSteps,
             MedianMilliseconds([&] { bandit.Propensity(decision); }));
  double sum = 0;
  for (const Probability& p : bandit.Propensities(world.ids())) sum += p.value;
  if (std::abs(sum - 1) > 1e-9) {
    throw std::runtime_error("the probabilities do not add up to 1");
  }

  Population population({.dim = kDim});
  population.Add(world.ids(), world.rows());
  for (std::uint64_t t = 0; t < kSteps; ++t) {
    const ArmId arm = t * 7'919 % kArms;
    population.Observe(1, arm, world.Reward(arm, t));
  }
  const Decision first = population.Choose(1);
  const auto begin = Clock::now();
  population.Propensity(1, first);
  fmt::print(
      "learner that has not chosen before: {:.2f} ms\n",
      std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  fmt::print("the same again: {:.2f} ms\n",
             MedianMilliseconds([&] { population.Propensity(1, first); }));
}

}  // namespace
}  // namespace manyarms

int main() {
  try {
    manyarms::Run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
