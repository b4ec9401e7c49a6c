#include "service/engine/learner_bytes.h"

#include <unistd.h>

#include <variant>

#include "manyarms/policy_options.h"

namespace manyarms::service {

std::uint64_t LearnerBytes(const PopulationOptions& options) {
  // ServedLearner, Learner, both tables and two keys, generously.
  constexpr std::uint64_t kFixed = 1024;
  // Up to this many coefficients no inverse is kept (Posterior).
  constexpr std::uint64_t kFewCoefficients = 32;
  std::uint64_t n = options.dim;
  if (options.context_dim > 0) {
    const std::uint64_t constant = options.context_constants ? 1 : 0;
    n = (n + constant) * (options.context_dim + constant);
  }
  std::uint64_t numbers = (n + 1) * (n + 2) / 2 + n + 1;
  if (!std::holds_alternative<ThompsonOptions>(options.policy) &&
      n > kFewCoefficients) {
    numbers += n * (n + 1) / 2;
  }
  return kFixed + numbers * sizeof(double);
}

std::uint64_t HalfOfMemory() {
  const auto pages = sysconf(_SC_PHYS_PAGES);
  const auto page = sysconf(_SC_PAGESIZE);
  constexpr std::uint64_t kIfUnknown = std::uint64_t{8} << 30;
  if (pages <= 0 || page <= 0) return kIfUnknown;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) /
         2;
}

}  // namespace manyarms::service
