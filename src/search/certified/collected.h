#ifndef MANYARMS_SEARCH_CERTIFIED_COLLECTED_H_
#define MANYARMS_SEARCH_CERTIFIED_COLLECTED_H_

#include <span>
#include <vector>

#include "base/large_allocator.h"
#include "search/certified/order.h"
#include "search/certified/survey.h"

namespace manyarms {

/// What a survey has found so far.
class Collected {
 public:
  Collected(const SurveyPlan& plan, std::size_t dim);

  const kernels::SurveyTerms& terms() const { return terms_; }

  /// Whether there are more contenders than the plan allows.
  bool too_many() const { return contenders_.size() > most_; }

  /// Adds a contender. `block` has its features, `lane` is its place there.
  void Add(const Contender& contender, const float* block, std::uint32_t lane);

  /// The ceiling over all arms that are no contenders.
  kernels::Ceiling& rest() { return rest_; }
  const kernels::Ceiling& rest() const { return rest_; }

  std::span<const Contender> contenders() const { return contenders_; }
  /// A row for each contender.
  std::span<const float> features() const { return features_; }

  /// Of contenders with the same slot, all but the first are dropped.
  void DropRepeated();

  std::unique_ptr<Order> MakeOrder() const;

 private:
  const SurveyPlan& plan_;
  const std::size_t dim_;
  const std::size_t most_;
  kernels::SurveyTerms terms_;
  std::vector<Contender, LargeAllocator<Contender>> contenders_;
  std::vector<float, LargeAllocator<float>> features_;  // a row for each
  kernels::Ceiling rest_ = kernels::kNoCeiling;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CERTIFIED_COLLECTED_H_
