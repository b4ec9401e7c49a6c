#include "search/certified/collected.h"

#include <algorithm>
#include <utility>

namespace manyarms {
namespace {

// Ceilings are computed at these multiples of the radius.
constexpr kernels::Radii kMultiples = {0, 0.5F, 0.75F, 1, 1.25F, 1.5F, 2, 3};

}  // namespace

Collected::Collected(const SurveyPlan& plan, std::size_t dim)
    : plan_(plan),
      dim_(dim),
      most_(plan.most_contenders),
      terms_{.bounds = plan.snapshot.terms(),
             .radius = plan.radius,
             .cutoff = plan.cutoff} {
  for (std::size_t r = 0; r < kernels::kRadii; ++r) {
    terms_.radii[r] = kMultiples[r] * plan.radius;
  }
  contenders_.reserve(std::min(plan.contenders * 5 / 4, most_));
  features_.reserve(contenders_.capacity() * dim);
}

void Collected::Add(const Contender& contender, const float* block,
                    std::uint32_t lane) {
  contenders_.push_back(contender);
  const std::size_t end = features_.size();
  features_.resize(end + dim_);
  for (std::size_t j = 0; j < dim_; ++j) {
    features_[end + j] = block[j * kLanes + lane];
  }
}

void Collected::DropRepeated() {
  std::vector<std::pair<Slot, std::uint32_t>> found;
  found.reserve(contenders_.size());
  for (std::uint32_t i = 0; i < contenders_.size(); ++i) {
    found.emplace_back(contenders_[i].slot, i);
  }
  std::ranges::sort(found);
  std::vector<bool> repeated(contenders_.size());
  for (std::size_t i = 1; i < found.size(); ++i) {
    if (found[i].first == found[i - 1].first) repeated[found[i].second] = true;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    if (repeated[i]) continue;
    if (kept != i) {
      contenders_[kept] = contenders_[i];
      std::copy_n(&features_[i * dim_], dim_, &features_[kept * dim_]);
    }
    ++kept;
  }
  contenders_.resize(kept);
  features_.resize(kept * dim_);
}

std::unique_ptr<Order> Collected::MakeOrder() const {
  return std::make_unique<Order>(plan_.snapshot, terms_.radii, plan_.radius,
                                 contenders_, features_, rest_);
}

}  // namespace manyarms
