#include "research/share_interval.h"

#include <cmath>

namespace manyarms {
namespace {

// P(X <= count) for X ~ Binomial(trials, probability).
double BinomialCdf(std::uint64_t count, std::uint64_t trials,
                   double probability) {
  const auto n = static_cast<double>(trials);
  const double odds = std::log(probability) - std::log1p(-probability);
  double log_term = n * std::log1p(-probability);
  double sum = std::exp(log_term);
  for (std::uint64_t i = 1; i <= count; ++i) {
    const auto k = static_cast<double>(i);
    log_term += std::log((n - k + 1) / k) + odds;
    sum += std::exp(log_term);
  }
  return sum;
}

}  // namespace

double ShareAtMost(std::uint64_t count, std::uint64_t trials,
                   double confidence) {
  if (count == trials) return 1;
  double low = 0;
  double high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    const double cdf = BinomialCdf(count, trials, middle);
    (cdf > (1 - confidence) / 2 ? low : high) = middle;
  }
  return high;
}

}  // namespace manyarms
