// How long a log takes to write and to read: decisions with their rewards, 16
// features, no contexts. The argument is the number of decisions.

#include "manyarms/log.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "manyarms/choice_reader.h"
#include "manyarms/random.h"

namespace manyarms {
namespace {

double SecondsOf(const auto& work) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void Print(const char* what, double seconds, std::uint64_t lines,
           double bytes) {
  fmt::print("{:<28} {:>7.2f} s {:>7.2f} us a line {:>7.0f} MB/s\n", what,
             seconds, 1e6 * seconds / static_cast<double>(lines),
             bytes / seconds / 1e6);
}

void WriteLog(const std::filesystem::path& path, std::uint64_t decisions) {
  LogWriter writer(path, {.dim = 16}, LogWriter::Mode::kNew);
  LoggedDecision decision{.arm = ArmId{0}, .features = std::vector<float>(16)};
  for (std::uint64_t id = 1; id <= decisions; ++id) {
    RandomStream random(1, RandomStream::Role::kArm, id);
    random.Gaussians(decision.features);
    decision.id = id;
    decision.arm = random.Below(1'000'000);
    decision.score = random.Gaussian();
    decision.eligible = 1'000'000;
    writer.Write(decision);
    writer.Write(LoggedReward{.decision = id, .reward = random.Gaussian()});
  }
}

void Run(std::uint64_t decisions) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / "manyarms-bench-log.jsonl";
  std::filesystem::remove(path);
  const double write = SecondsOf([&] { WriteLog(path, decisions); });
  const auto bytes = static_cast<double>(std::filesystem::file_size(path));
  const std::uint64_t lines = 2 * decisions;
  fmt::print("{} decisions and rewards, {:.0f} MB\n", decisions, bytes / 1e6);
  Print("LogWriter", write, lines, bytes);
  Print("LogWriter that continues",
        SecondsOf([&] { LogWriter(path, {.dim = 16}); }), lines, bytes);
  std::uint64_t events = 0;
  Print("LogReader", SecondsOf([&] {
          LogReader reader(path);
          for (LogEvent event; reader.Next(event);) ++events;
        }),
        lines, bytes);
  Print("ReadChoices", SecondsOf([&] {
          if (ReadChoices(path).choices.size() != decisions) std::abort();
        }),
        lines, bytes);
  std::filesystem::remove(path);
  if (events != lines) std::abort();
}

}  // namespace
}  // namespace manyarms

int main(int argc, char** argv) {
  manyarms::Run(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000);
}
