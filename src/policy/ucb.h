#ifndef MANYARMS_POLICY_UCB_H_
#define MANYARMS_POLICY_UCB_H_

#include "policy/policy.h"

namespace manyarms {

/// OFUL: plays the arm whose mean plus exploration times width is largest. A
/// choice costs O(d^2) and one search by optimism.
class Ucb final : public Policy {
 public:
  Ucb(const UcbOptions& options, const PolicyParts& parts, std::uint64_t seed);

  void Add(std::span<const Slot> /*slots*/) override {}
  void Remove(Slot /*slot*/) override {}
  Hit Choose() override;
  std::vector<Hit> ChooseTop(const TopRequest& request) override;
  PolicyStats stats() const override;
  double exploration() const override { return exploration_; }
  void Save(ByteWriter& writer) const override;
  void Restore(ByteReader& reader, std::span<const Slot> slots) override;

 private:
  Query UpperBound();

  const Posterior& posterior_;
  const double exploration_;
  const std::unique_ptr<Finder> finder_;

  std::optional<std::uint64_t> known_version_;  // of the posterior
  Eigen::VectorXd mean_;                        // at that version
};

}  // namespace manyarms

#endif  // MANYARMS_POLICY_UCB_H_
