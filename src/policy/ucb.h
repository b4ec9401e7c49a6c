#ifndef MANYARMS_POLICY_UCB_H_
#define MANYARMS_POLICY_UCB_H_

#include "policy/policy.h"

namespace manyarms {

/// OFUL: plays the arm whose mean plus radius times width is largest. A choice
/// costs O(d^3) and one search by optimism.
class Ucb final : public Policy {
 public:
  Ucb(const UcbOptions& options, const SearchOptions& search,
      const ArmStore& store, const Posterior& posterior, std::uint64_t seed);

  void Add(std::span<const Slot> slots) override { search_->Add(slots); }
  void Remove(Slot slot) override { search_->Remove(slot); }
  Hit Choose() override;
  std::vector<Hit> ChooseTop(const TopRequest& request) override;
  PolicyStats stats() const override;
  void Save(ByteWriter& writer) const override;
  void Restore(ByteReader& reader, std::span<const Slot> slots) override;

 private:
  Query UpperBound();

  const Posterior& posterior_;
  const double radius_;
  std::unique_ptr<Search> search_;

  // What queries refer to, as it was after so many updates.
  std::optional<std::uint64_t> known_updates_;
  Eigen::VectorXd mean_;
  Eigen::MatrixXd factor_;
};

}  // namespace manyarms

#endif  // MANYARMS_POLICY_UCB_H_
