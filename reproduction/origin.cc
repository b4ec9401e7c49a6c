#include "reproduction/origin.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>

#include "manyarms/version.h"
#include "reproduction/commit.h"

namespace manyarms::reproduction {
namespace {

std::string CpuName() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

std::string SystemName() {
  utsname names{};
  if (uname(&names) != 0) return "unknown";
  return fmt::format("{} {} {}", names.sysname, names.release, names.machine);
}

}  // namespace

Json DescribeOrigin(unsigned threads) {
  const auto memory = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return {
      {"cpu", CpuName()},        {"cores", std::thread::hardware_concurrency()},
      {"memory_bytes", memory},  {"system", SystemName()},
      {"compiler", __VERSION__}, {"version", kVersion},
      {"commit", kCommit},       {"threads", threads}};
}

}  // namespace manyarms::reproduction
