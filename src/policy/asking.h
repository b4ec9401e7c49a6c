#ifndef MANYARMS_POLICY_ASKING_H_
#define MANYARMS_POLICY_ASKING_H_

#include <memory>

#include "policy/policy.h"
#include "policy/questions.h"
#include "search/finder_cache.h"

namespace manyarms {

/// A policy that asks one question over all arms for each choice (all but
/// elim). A choice costs a question and a search.
///
/// With contexts, each context is an asker of its own: contexts that recur get
/// finders of their own, and all others share one.
class AskingPolicy final : public Policy {
 public:
  AskingPolicy(std::unique_ptr<Questions> questions, const PolicyParts& parts,
               std::uint64_t seed);

  void Add(std::span<const Slot> /*slots*/) override {}
  void Remove(Slot /*slot*/) override {}
  Hit Choose(Context context) override;
  std::vector<Hit> ChooseTop(const TopRequest& request,
                             Context context) override;
  void Pass() override { ++choices_; }
  void TakeBack(std::uint64_t choices) override { choices_ -= choices; }
  Wins CountWins(const Redraws& redraws, std::span<const Slot> arms) override;
  PolicyStats stats() const override;
  double exploration() const override { return questions_->exploration(); }
  void Save(ByteWriter& writer) const override;
  void Restore(ByteReader& reader, std::span<const Slot> slots) override;

 private:
  Query Ask(Context context);
  FinderCache::Loan FinderOf(Context context);

  Posterior& posterior_;
  const ContextModel model_;
  const std::uint64_t seed_;
  const std::unique_ptr<Questions> questions_;
  const std::unique_ptr<Finder> finder_;
  // Of contexts that recur; none if there are no contexts or if it would not
  // make answers faster.
  const std::unique_ptr<FinderCache> finders_;
  std::uint64_t choices_ = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_POLICY_ASKING_H_
