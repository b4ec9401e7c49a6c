#include "research/zipf_law.h"

#include <algorithm>
#include <cmath>

namespace manyarms {
namespace {

// (e^x - 1)/x and log(1 + x)/x, with their limits at 0.
double ExpMinusOneOver(double x) { return x == 0 ? 1 : std::expm1(x) / x; }
double LogOnePlusOver(double x) { return x == 0 ? 1 : std::log1p(x) / x; }

}  // namespace

ZipfLaw::ZipfLaw(std::uint64_t count, double exponent)
    : count_(count),
      exponent_(exponent),
      lowest_area_(Integral(1.5) - 1),
      highest_area_(Integral(static_cast<double>(count) + 0.5)),
      surely_accepted_(2 - InverseIntegral(Integral(2.5) - Weight(2))) {}

double ZipfLaw::Weight(double rank) const { return std::pow(rank, -exponent_); }

// Of the weight, from 1 to the rank.
double ZipfLaw::Integral(double rank) const {
  const double log_rank = std::log(rank);
  return ExpMinusOneOver((1 - exponent_) * log_rank) * log_rank;
}

double ZipfLaw::InverseIntegral(double area) const {
  // Rounding must not leave the domain of the logarithm.
  const double x = std::max(area * (1 - exponent_), -1.0);
  return std::exp(LogOnePlusOver(x) * area);
}

std::uint64_t ZipfLaw::Draw(RandomStream& random) const {
  const auto most = static_cast<double>(count_);
  for (;;) {
    const double area =
        highest_area_ + random.Uniform() * (lowest_area_ - highest_area_);
    const double real = InverseIntegral(area);
    const double rank = std::clamp(std::floor(real + 0.5), 1.0, most);
    if (rank - real <= surely_accepted_ ||
        area >= Integral(rank + 0.5) - Weight(rank)) {
      return static_cast<std::uint64_t>(rank) - 1;
    }
  }
}

double ZipfLaw::ExpectedDistinct(std::uint64_t draws) const {
  // Ranks far down are taken together; their weights are nearly equal.
  const auto for_each_group = [this](const auto& visit) {
    for (std::uint64_t first = 1; first <= count_;) {
      const std::uint64_t ranks = std::min(1 + first / 64, count_ - first + 1);
      const double middle =
          static_cast<double>(first) + (static_cast<double>(ranks) - 1) / 2;
      visit(static_cast<double>(ranks), Weight(middle));
      first += ranks;
    }
  };
  double sum = 0;
  for_each_group([&](double ranks, double weight) { sum += ranks * weight; });
  double distinct = 0;
  for_each_group([&](double ranks, double weight) {
    const double never = std::exp(static_cast<double>(draws) *
                                  std::log1p(-std::min(weight / sum, 1.0)));
    distinct += ranks * (1 - never);
  });
  return distinct;
}

}  // namespace manyarms
