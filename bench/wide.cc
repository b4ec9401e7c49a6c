// What many features cost: a choice with its reward among 20 arms, and what it
// consists of, each beside the time that a plain read of the same bytes takes.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/kernels.h"
#include "manyarms/bandit.h"
#include "manyarms/random.h"
#include "posterior/posterior.h"

namespace manyarms {
namespace {

using Clock = std::chrono::steady_clock;
using Role = RandomStream::Role;

constexpr std::size_t kArms = 20;

volatile double sink;  // keeps the compiler from removing the work

// Lengths are about 1, as those of embeddings are.
std::vector<float> Row(std::size_t dim, std::uint64_t index) {
  std::vector<float> row(dim);
  RandomStream(1, Role::kArm, index).Gaussians(row);
  const float scale = 1 / std::sqrt(static_cast<float>(dim));
  for (float& value : row) value *= scale;
  return row;
}

double Milliseconds(const std::function<void()>& work) {
  const Clock::time_point start = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

double Median(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

int Calls(std::size_t dim) {
  return static_cast<int>(std::clamp<std::size_t>(200'000 / dim, 25, 1001));
}

// A kept inverse must be that of the factor.
void Verify(const Posterior& posterior, std::span<const float> x) {
  const Eigen::VectorXd v = Eigen::Map<const Eigen::VectorXf>(
                                x.data(), static_cast<Eigen::Index>(x.size()))
                                .cast<double>();
  const double width = posterior.Width(x);
  const double kept =
      (posterior.Inverse().triangularView<Eigen::Lower>() * v).norm();
  if (std::abs(kept - width) > 1e-9 * width) {
    throw std::logic_error("the kept inverse is wrong");
  }
}

// Times of single operations. `touched` counts how often half a matrix of
// doubles is read or written.
void BenchParts(std::size_t dim) {
  Posterior plain(dim, 1.0);
  Posterior keeping(dim, 1.0);
  keeping.KeepInverse();
  const int calls = Calls(dim);
  std::vector<double> xi(dim);
  RandomStream(2, Role::kSample, 0).Gaussians(xi);
  std::vector<float> x = Row(dim, 0);
  const std::vector<float> memory(dim * dim / kLanes * kLanes, 1.0F);
  // In turns, so that a change of the machine's speed changes all of them.
  std::vector<double> update;
  std::vector<double> both;
  std::vector<double> draw;
  std::vector<double> pack;
  std::vector<double> read;
  kernels::PackedFactor packed;
  for (int i = 0; i < calls; ++i) {
    x = Row(dim, static_cast<std::uint64_t>(i));
    update.push_back(Milliseconds([&] { plain.Update(x, 1.0); }));
    both.push_back(Milliseconds([&] { keeping.Update(x, 1.0); }));
    draw.push_back(Milliseconds([&] { sink = plain.Sample(1.0, xi)[0]; }));
    pack.push_back(Milliseconds(
        [&] { packed.Pack(keeping.Inverse().data(), dim, 1.0); }));
    read.push_back(Milliseconds(
        [&] { sink = kernels::PlainRead(memory.data(), memory.size()); }));
  }
  Verify(keeping, x);
  const double half_matrix = Median(read);
  const auto show = [&](const std::string& what, double ms, double touched) {
    fmt::print("  {:<28} {:>9.4f} ms, {:>5.1f} times a plain read\n", what, ms,
               ms / (touched * half_matrix));
  };
  const double alone = Median(update);
  show("update", alone, 2);
  show("update of the inverse", Median(both) - alone, 2);
  show("draw", Median(draw), 1);
  show("packing for a search", Median(pack), 1.5);
}

void BenchChoices(std::size_t dim, const std::string& name,
                  const PolicyOptions& policy) {
  Bandit bandit({.dim = dim, .policy = policy, .seed = 1});
  for (ArmId id = 0; id < kArms; ++id) bandit.Add(id, Row(dim, id));
  std::uint64_t step = 0;
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(Calls(dim)));
  for (int i = 0; i < Calls(dim); ++i) {
    times.push_back(Milliseconds([&] {
      const Decision decision = bandit.Choose();
      bandit.Learn(decision,
                   static_cast<double>(decision.arm) / kArms +
                       RandomStream(3, Role::kNoise, ++step).Gaussian());
    }));
  }
  fmt::print("  {:<28} {:>9.4f} ms, the longest {:.4f} ms\n",
             name + ", choice and reward", Median(times),
             std::ranges::max(times));
}

void Run() {
  for (const std::size_t dim : {64U, 256U, 1024U, 4096U}) {
    fmt::print("{} features\n", dim);
    BenchChoices(dim, "ts", ThompsonOptions{});
    BenchChoices(dim, "ucb", UcbOptions{});
    BenchChoices(dim, "elim", EliminationOptions{});
    BenchParts(dim);
  }
}

}  // namespace
}  // namespace manyarms

int main() {
  try {
    manyarms::Run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
  return 0;
}
