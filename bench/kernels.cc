// Measures single functions with google-benchmark.

#include "kernels/kernels.h"

#include <benchmark/benchmark.h>

#include "catalogue/arm_store.h"
#include "manyarms/random.h"
#include "posterior/posterior.h"

namespace manyarms {
namespace {

std::vector<float> Row(std::size_t dim, std::uint64_t index) {
  std::vector<float> row(dim);
  RandomStream(1, RandomStream::Role::kArm, index).Gaussians(row);
  return row;
}

Posterior Trained(std::size_t dim) {
  Posterior posterior(dim, 1.0);
  for (std::uint64_t t = 0; t < 2 * dim; ++t) {
    posterior.Update(Row(dim, t), 1.0);
  }
  return posterior;
}

std::size_t Dim(const benchmark::State& state) {
  return static_cast<std::size_t>(state.range(0));
}

void PosteriorUpdate(benchmark::State& state) {
  Posterior posterior = Trained(Dim(state));
  const auto row = Row(Dim(state), 0);
  while (state.KeepRunning()) posterior.Update(row, 1.0);
}
BENCHMARK(PosteriorUpdate)->Arg(8)->Arg(16)->Arg(64)->Arg(256);

void PosteriorSample(benchmark::State& state) {
  const Posterior posterior = Trained(Dim(state));
  const std::vector<double> xi(Dim(state), 0.5);
  while (state.KeepRunning())
    benchmark::DoNotOptimize(posterior.Sample(1.0, xi));
}
BENCHMARK(PosteriorSample)->Arg(8)->Arg(16)->Arg(64)->Arg(256);

void PosteriorInverseFactor(benchmark::State& state) {
  const Posterior posterior = Trained(Dim(state));
  while (state.KeepRunning())
    benchmark::DoNotOptimize(posterior.InverseFactor());
}
BENCHMARK(PosteriorInverseFactor)->Arg(8)->Arg(16)->Arg(64)->Arg(256);

void Gaussians(benchmark::State& state) {
  std::vector<double> values(Dim(state));
  std::uint64_t index = 0;
  while (state.KeepRunning()) {
    RandomStream(1, RandomStream::Role::kSample, index++).Gaussians(values);
    benchmark::DoNotOptimize(values.data());
  }
}
BENCHMARK(Gaussians)->Arg(16)->Arg(64);

void CatalogueAddAndRemove(benchmark::State& state) {
  ArmStore store(16);
  const auto row = Row(16, 0);
  for (ArmId id = 0; id < 1'000'000; ++id) store.Add(id, row);
  ArmId next = 1'000'000;
  while (state.KeepRunning()) {
    store.Remove(next - 1'000'000);
    store.Add(next++, row);
  }
}
BENCHMARK(CatalogueAddAndRemove);

void SquaredDistance(benchmark::State& state) {
  const auto a = Row(Dim(state), 0);
  const auto b = Row(Dim(state), 1);
  while (state.KeepRunning()) {
    benchmark::DoNotOptimize(
        kernels::SquaredDistance(a.data(), b.data(), a.size()));
  }
}
BENCHMARK(SquaredDistance)->Arg(16)->Arg(20)->Arg(140);

}  // namespace
}  // namespace manyarms

BENCHMARK_MAIN();
