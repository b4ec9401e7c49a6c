#ifndef MANYARMS_RESEARCH_VISITED_WORLD_H_
#define MANYARMS_RESEARCH_VISITED_WORLD_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "manyarms/research/environment.h"
#include "research/best_rewards.h"
#include "research/synthetic_arms.h"
#include "research/visits.h"

namespace manyarms {

/// Whether these options need the world below.
bool NeedsVisitedWorld(const SyntheticOptions& options);

/// The synthetic environment with learners, contexts, clicks, turns or drift:
/// which arm is the best may differ from step to step.
class VisitedWorld final : public Environment {
 public:
  explicit VisitedWorld(const SyntheticOptions& options);

  std::size_t dim() const override { return options_.dim; }
  std::size_t arms_at_start() const override { return options_.arms; }
  void Features(ArmId arm, std::span<float> out) const override;
  void FillFeatures(std::span<const ArmId> arms,
                    std::span<float> out) const override;
  Change Advance(std::uint64_t step) override;
  Visit VisitAt(std::uint64_t step) const override;
  double Reward(ArmId arm, std::uint64_t step) const override;
  double Regret(ArmId arm) const override;

 private:
  void AddArms(std::span<const ArmId> arms);
  void FindBests(std::uint64_t step);
  double InnerProductWith(std::span<const double> direction, ArmId arm) const;
  double Expected(const RewardFunction& rewards, double inner_product) const;

  const SyntheticOptions options_;
  SyntheticArms arms_;
  Visits visits_;
  BestRewards best_rewards_;
  std::uint64_t step_ = 1;
  // Of the steps from first_ on, in which arms do not change: the expected
  // rewards, and the highest inner products with their directions.
  std::uint64_t first_ = 1;
  std::vector<RewardFunction> rewards_;
  std::vector<double> bests_;
};

}  // namespace manyarms

#endif  // MANYARMS_RESEARCH_VISITED_WORLD_H_
