#include "policy/asking.h"

namespace manyarms {
namespace {

std::unique_ptr<Finder> MakeFinder(const PolicyParts& parts) {
  return parts.model.has_contexts() ? parts.index->MakeSharedFinder()
                                    : parts.index->MakeFinder();
}

std::unique_ptr<FinderCache> MakeFinders(const PolicyParts& parts) {
  if (!parts.model.has_contexts() || !parts.index->own_finders_pay()) {
    return nullptr;
  }
  return std::make_unique<FinderCache>(*parts.index, kContextOrderBytes);
}

}  // namespace

AskingPolicy::AskingPolicy(std::unique_ptr<Questions> questions,
                           const PolicyParts& parts, std::uint64_t seed)
    : posterior_(parts.posterior),
      model_(parts.model),
      seed_(seed),
      questions_(std::move(questions)),
      finder_(MakeFinder(parts)),
      finders_(MakeFinders(parts)) {
  if (questions_->needs_inverse()) parts.posterior.KeepInverse();
}

Hit AskingPolicy::Choose(Context context) {
  const FinderCache::Loan own = FinderOf(context);
  Finder& finder = own.get() != nullptr ? *own.get() : *finder_;
  Hit best = finder.Best(Ask(context)).value_or(Hit{});
  best.score += questions_->offset();
  ++choices_;  // only now: the finder may have thrown
  return best;
}

std::vector<Hit> AskingPolicy::ChooseTop(const TopRequest& request,
                                         Context context) {
  const FinderCache::Loan own = FinderOf(context);
  Finder& finder = own.get() != nullptr ? *own.get() : *finder_;
  std::vector<Hit> top = finder.Top(Ask(context), request);
  for (Hit& hit : top) hit.score += questions_->offset();
  ++choices_;
  return top;
}

Wins AskingPolicy::CountWins(const Redraws& redraws,
                             std::span<const Slot> arms) {
  const FinderCache::Loan own = FinderOf(redraws.context);
  Finder& finder = own.get() != nullptr ? *own.get() : *finder_;
  return manyarms::CountWins({.questions = *questions_,
                              .finder = finder,
                              .posterior = posterior_,
                              .seed = seed_},
                             redraws, arms);
}

Query AskingPolicy::Ask(Context context) {
  return questions_->Ask({.posterior = posterior_,
                          .seed = seed_,
                          .draw = choices_,
                          .context = context});
}

FinderCache::Loan AskingPolicy::FinderOf(Context context) {
  if (!finders_ || !model_.MayHaveOrder(context)) return {};
  return finders_->Borrow({0, context});
}

PolicyStats AskingPolicy::stats() const {
  PolicyStats stats{finder_->stats()};
  if (finders_) stats += finders_->stats();
  return stats;
}

void AskingPolicy::Save(ByteWriter& writer) const {
  if (questions_->is_random()) writer.Transfer(choices_);
}

void AskingPolicy::Restore(ByteReader& reader,
                           std::span<const Slot> /*slots*/) {
  if (questions_->is_random()) reader.Transfer(choices_);
}

}  // namespace manyarms
