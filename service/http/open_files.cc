#include "service/http/open_files.h"

#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <thread>

namespace manyarms::http {
namespace {

constexpr std::uint64_t kReserve = 100;
constexpr std::uint64_t kOfEachThread = 4;  // what an io_context opens

std::uint64_t CountOf(rlim_t limit) {
  return limit == RLIM_INFINITY ? std::numeric_limits<std::uint64_t>::max()
                                : limit;
}

}  // namespace

std::uint64_t RaiseOpenFiles() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return std::numeric_limits<std::uint64_t>::max();
  }
  rlimit raised = limit;
  raised.rlim_cur = raised.rlim_max;
  const bool done = setrlimit(RLIMIT_NOFILE, &raised) == 0;
  return CountOf(done ? raised.rlim_cur : limit.rlim_cur);
}

std::size_t ConnectionsThatFit(const ServerOptions& options,
                               std::uint64_t files) {
  const std::uint64_t threads =
      options.threads > 0 ? options.threads
                          : std::max(1U, std::thread::hardware_concurrency());
  const std::uint64_t others = kReserve + kOfEachThread * threads;
  const std::uint64_t fit = files > others ? files - others : 1;
  return std::min<std::uint64_t>(options.most_connections, fit);
}

}  // namespace manyarms::http
