#include "research/visits.h"

#include <algorithm>

#include "manyarms/random.h"

namespace manyarms {
namespace {

using Role = RandomStream::Role;

std::size_t Constants(const SyntheticOptions& options) {
  return options.context_dim > 0 && options.context_constants ? 1 : 0;
}

}  // namespace

Visits::Visits(const SyntheticOptions& options)
    : options_(options),
      rows_(options.context_dim == 0
                ? 1
                : options.context_dim + Constants(options)),
      columns_(options.dim + Constants(options)),
      parameter_(options, rows_, columns_),
      law_(std::max<std::size_t>(options.learners, 1), options.zipf) {}

Visit Visits::At(std::uint64_t step) const {
  RandomStream random(options_.seed, Role::kVisit, step);
  Visit visit;
  if (options_.learners > 0) visit.learner = law_.Draw(random);
  if (options_.context_dim > 0) {
    const std::uint64_t number = options_.distinct_contexts > 0
                                     ? random.Below(options_.distinct_contexts)
                                     : step;
    visit.context.resize(options_.context_dim);
    RandomStream(options_.seed, Role::kContext, number)
        .Gaussians(visit.context);
  }
  return visit;
}

RewardFunction Visits::RewardsAt(std::uint64_t step) const {
  const Visit visit = At(step);
  const std::vector<double> parameter = parameter_.At(step, visit.learner);
  std::vector<double> context(visit.context.begin(), visit.context.end());
  if (context.size() < rows_) context.push_back(1);
  std::vector<double> sums(columns_);
  for (std::size_t i = 0; i < rows_; ++i) {
    for (std::size_t j = 0; j < columns_; ++j) {
      sums[j] += context[i] * parameter[i * columns_ + j];
    }
  }
  RewardFunction rewards;
  if (columns_ > options_.dim) {
    rewards.constant = sums.back();
    sums.pop_back();
  }
  rewards.direction = std::move(sums);
  return rewards;
}

}  // namespace manyarms
