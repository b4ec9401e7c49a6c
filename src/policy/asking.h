#ifndef MANYARMS_POLICY_ASKING_H_
#define MANYARMS_POLICY_ASKING_H_

#include "policy/policy.h"
#include "policy/questions.h"

namespace manyarms {

/// A policy that asks one question over all arms for each choice (ts and ucb).
/// A choice costs O(d^2) and one search.
class AskingPolicy final : public Policy {
 public:
  AskingPolicy(std::unique_ptr<Questions> questions, const PolicyParts& parts,
               std::uint64_t seed);

  void Add(std::span<const Slot> /*slots*/) override {}
  void Remove(Slot /*slot*/) override {}
  Hit Choose() override;
  std::vector<Hit> ChooseTop(const TopRequest& request) override;
  PolicyStats stats() const override { return {finder_->stats()}; }
  double exploration() const override { return questions_->exploration(); }
  void Save(ByteWriter& writer) const override;
  void Restore(ByteReader& reader, std::span<const Slot> slots) override;

 private:
  Query Ask() { return questions_->Ask(posterior_, seed_, choices_); }

  const Posterior& posterior_;
  const std::uint64_t seed_;
  const std::unique_ptr<Questions> questions_;
  const std::unique_ptr<Finder> finder_;
  std::uint64_t choices_ = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_POLICY_ASKING_H_
