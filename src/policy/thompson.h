#ifndef MANYARMS_POLICY_THOMPSON_H_
#define MANYARMS_POLICY_THOMPSON_H_

#include "policy/policy.h"

namespace manyarms {

/// Algorithm 4. A choice costs O(d^2) and one search by inner product.
class Thompson final : public Policy {
 public:
  Thompson(const ThompsonOptions& options, const PolicyParts& parts,
           std::uint64_t seed);

  void Add(std::span<const Slot> /*slots*/) override {}
  void Remove(Slot /*slot*/) override {}
  Hit Choose() override;
  std::vector<Hit> ChooseTop(const TopRequest& request) override;
  PolicyStats stats() const override;
  double exploration() const override { return exploration_; }
  void Save(ByteWriter& writer) const override;
  void Restore(ByteReader& reader, std::span<const Slot> slots) override;

 private:
  Eigen::VectorXd Draw();

  const Posterior& posterior_;
  const std::uint64_t seed_;
  const double exploration_;
  const std::unique_ptr<Finder> finder_;
  std::uint64_t choices_ = 0;
  std::vector<double> xi_;  // scratch
};

}  // namespace manyarms

#endif  // MANYARMS_POLICY_THOMPSON_H_
