#include "policy/asking.h"

namespace manyarms {

AskingPolicy::AskingPolicy(std::unique_ptr<Questions> questions,
                           const PolicyParts& parts, std::uint64_t seed)
    : posterior_(parts.posterior),
      seed_(seed),
      questions_(std::move(questions)),
      finder_(parts.index->MakeFinder()) {
  if (questions_->needs_inverse()) parts.posterior.KeepInverse();
}

Hit AskingPolicy::Choose() {
  const Hit best = finder_->Best(Ask()).value_or(Hit{});
  ++choices_;  // only now: the finder may have thrown
  return best;
}

std::vector<Hit> AskingPolicy::ChooseTop(const TopRequest& request) {
  std::vector<Hit> top = finder_->Top(Ask(), request);
  ++choices_;
  return top;
}

void AskingPolicy::Save(ByteWriter& writer) const {
  if (questions_->is_random()) writer.Transfer(choices_);
}

void AskingPolicy::Restore(ByteReader& reader,
                           std::span<const Slot> /*slots*/) {
  if (questions_->is_random()) reader.Transfer(choices_);
}

}  // namespace manyarms
