// Compares adding arms to a catalogue with a memset of as many bytes as the
// catalogue takes afterwards, both in fresh memory: nothing that stores the
// arms can be faster than about that. Both are measured in turns in one run. A
// bandit also keeps a compact copy of the arms, whose bytes count.
// The arms' ids and rows are made before.
//   build/bench_adding [ARMS...]

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "base/large_allocator.h"
#include "manyarms/bandit.h"
#include "manyarms/catalogue.h"
#include "manyarms/random.h"

namespace manyarms {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kDim = 16;
constexpr std::size_t kBatch = std::size_t{64} << 10;
constexpr int kRounds = 5;

double Seconds(const std::function<void()>& work) {
  const Clock::time_point start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Ids in no order, as those of a caller may be, and rows of uniform values.
struct Arms {
  explicit Arms(std::size_t count) : ids(count), values(count * kDim) {
    RandomStream random(1, RandomStream::Role::kArm, 0);
    for (std::size_t i = 0; i < count; ++i) {
      ids[i] = i * 0x9e3779b97f4a7c15U;  // odd, so no two are equal
    }
    for (std::size_t i = 0; i < values.size(); i += 2) {
      const std::uint64_t bits = random.Bits();
      values[i] = static_cast<float>(bits >> 40) * 0x1p-24F;
      values[i + 1] = static_cast<float>(bits & 0xffffff) * 0x1p-24F;
    }
  }

  FeatureRows Rows(std::size_t first, std::size_t count) const {
    return {values.data() + first * kDim, count, kDim, {.row = kDim}};
  }

  std::vector<ArmId> ids;
  std::vector<float, LargeAllocator<float>> values;
};

template <class Taker>
void AddAll(const Arms& arms, std::size_t batch, Taker& taker) {
  for (std::size_t first = 0; first < arms.ids.size(); first += batch) {
    const std::size_t count = std::min(batch, arms.ids.size() - first);
    taker.Add(std::span(arms.ids).subspan(first, count),
              arms.Rows(first, count));
  }
}

double FreshMemset(std::size_t bytes) {
  LargeBuffer<char> memory;
  return Seconds([&] {
    memory = MakeLargeBuffer<char>(bytes);
    std::memset(memory.get(), 1, bytes);
    // Without this the compiler leaves the memset out.
    asm volatile("" : : "r"(memory.get()) : "memory");
  });
}

// Has the pages that the next measurement gets written and returned to the
// system. On a virtual machine the host may have to provide them first, which
// takes several times as long as everything that is measured here.
void TouchPages(std::size_t bytes) {
  const LargeBuffer<char> memory = MakeLargeBuffer<char>(bytes);
  std::memset(memory.get(), 1, bytes);
  asm volatile("" : : "r"(memory.get()) : "memory");
}

struct Way {
  std::string name;
  std::size_t bytes;  // that it takes, or that the memset for comparison has
  std::function<double()> measure;
};

// How many bytes the arms take if they are added in one call.
std::size_t BytesOf(const Arms& arms, Catalogue catalogue) {
  AddAll(arms, arms.ids.size(), catalogue);
  return catalogue.memory_bytes();
}
std::size_t BytesOf(const Arms& arms, Bandit bandit) {
  AddAll(arms, arms.ids.size(), bandit);
  return bandit.catalogue().memory_bytes();
}

void Run(std::size_t count) {
  const Arms arms(count);
  const BanditOptions options{.dim = kDim};
  const std::size_t plain = BytesOf(arms, Catalogue(kDim));
  const std::size_t copied = BytesOf(arms, Bandit(options));
  const auto into_catalogue = [&](std::size_t batch, bool reserve) {
    Catalogue catalogue(kDim);
    return Seconds([&] {
      if (reserve) catalogue.Reserve(count);
      AddAll(arms, batch, catalogue);
    });
  };
  const auto into_bandit = [&](std::size_t batch, bool reserve) {
    Bandit bandit(options);
    return Seconds([&] {
      if (reserve) bandit.Reserve(count);
      AddAll(arms, batch, bandit);
    });
  };
  const std::vector<Way> ways = {
      {"memset", plain, [&] { return FreshMemset(plain); }},
      {"Catalogue, one call", plain,
       [&] { return into_catalogue(count, false); }},
      {"Catalogue, calls of 64 Ki", plain,
       [&] { return into_catalogue(kBatch, false); }},
      {"the same after Reserve", plain,
       [&] { return into_catalogue(kBatch, true); }},
      {"memset", copied, [&] { return FreshMemset(copied); }},
      {"Bandit, one call", copied, [&] { return into_bandit(count, false); }},
      {"64 Ki after Reserve", copied,
       [&] { return into_bandit(kBatch, true); }},
  };
  std::vector<std::vector<double>> times(ways.size());  // in seconds
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      TouchPages(2 * copied);
      times[i].push_back(ways[i].measure());
    }
  }
  fmt::print("{} arms of {} features\n", count, kDim);
  double memset_seconds = 0;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const Way& way = ways[i];
    const double seconds = Median(times[i]);
    if (way.name == "memset") memset_seconds = seconds;
    fmt::print(
        "{:<26} {:>6.1f} bytes an arm {:>7.4f} s {:>6.2f} GB/s {:>6.2f} times "
        "memset\n",
        way.name, static_cast<double>(way.bytes) / static_cast<double>(count),
        seconds, static_cast<double>(way.bytes) / seconds * 1e-9,
        seconds / memset_seconds);
  }
}

}  // namespace
}  // namespace manyarms

int main(int argc, char** argv) {
  try {
    // So that memory that was freed goes back to the system, and all memory is
    // fresh. There are no other threads yet.
    mallopt(M_MMAP_THRESHOLD, 1 << 17);  // NOLINT(concurrency-mt-unsafe)
    mallopt(M_TRIM_THRESHOLD, 0);        // NOLINT(concurrency-mt-unsafe)
    std::vector<std::size_t> counts;
    for (int i = 1; i < argc; ++i) counts.push_back(std::stoull(argv[i]));
    if (counts.empty()) counts = {1'000'000, 10'000'000};
    for (const std::size_t count : counts) manyarms::Run(count);
  } catch (const std::exception& error) {
    std::fputs(error.what(), stderr);
    return 1;
  }
  return 0;
}
