#include "population/saved_learner.h"

#include <memory>
#include <string>
#include <utility>

#include "manyarms/types.h"

namespace manyarms {
namespace {

enum class KeyKind : std::uint8_t { kNumber = 0, kText = 1 };

}  // namespace

void SaveKey(ByteWriter& writer, const LearnerKey& key) {
  writer.Transfer(key.is_number() ? KeyKind::kNumber : KeyKind::kText);
  if (key.is_number()) {
    writer.Transfer(key.number());
  } else {
    writer.Transfer(std::uint64_t{key.text().size()});
    writer.Values(std::span<const char>(key.text()));
  }
}

LearnerKey LoadKey(ByteReader& reader) {
  const auto kind = reader.Next<KeyKind>();
  CheckSaved(kind == KeyKind::kNumber || kind == KeyKind::kText,
             "it has a key of an unknown kind");
  if (kind == KeyKind::kNumber) return reader.Next<std::uint64_t>();
  std::string text(reader.Count(1), '\0');
  reader.Values(std::span<char>(text));
  return text;
}

void LearnerFile::Save(ByteWriter& writer, const Learner& learner) {
  writer.Transfer(learner.choices);
  writer.Transfer(learner.decisions);
  writer.Transfer(learner.packed != nullptr);
  if (learner.packed) {
    if (prior_.is_shared()) SavePrior(writer, *learner.prior);
    posterior_.Unpack({learner.packed.get(), posterior_.packed_size()},
                      learner.rewards, posterior_);
    posterior_.Save(writer);
    posterior_.SaveInverse(writer);
  }
  const bool has_pending = learner.pending && learner.pending->size() > 0;
  writer.Transfer(has_pending);
  if (has_pending) learner.pending->Save(writer);
}

void LearnerFile::SavePrior(ByteWriter& writer, const StartingPrior& prior) {
  const auto [number, is_first] =
      number_of_.try_emplace(prior.asker, number_of_.size());
  writer.Transfer(number->second);
  if (!is_first) return;
  writer.Transfer(prior.prior->mean);
  writer.Transfer(prior.prior->precision);
}

std::shared_ptr<const StartingPrior> LearnerFile::LoadPrior(
    ByteReader& reader) {
  const auto number = reader.Next<std::uint64_t>();
  CheckSaved(number <= read_.size(), "it has a prior with a wrong number");
  if (number == read_.size()) {
    GaussianPrior given;
    reader.Transfer(given.mean);
    reader.Transfer(given.precision);
    read_.push_back(prior_.Restored(given));
  }
  return read_[number];
}

Learner LearnerFile::Load(ByteReader& reader) {
  Learner learner;
  reader.Transfer(learner.choices);
  reader.Transfer(learner.decisions);
  CheckSaved(learner.choices <= kMaxSteps && learner.decisions <= kMaxSteps,
             "its decisions are out of bounds");
  bool has_learned = false;
  reader.Transfer(has_learned);
  if (has_learned) {
    const std::size_t size = posterior_.packed_size();
    if (prior_.is_shared()) {
      learner.prior = LoadPrior(reader);
      posterior_ = learner.prior->fresh;
    }
    CheckSaved(reader.left() / sizeof(double) >= size, "it ends too early");
    posterior_.Restore(reader);
    posterior_.RestoreInverse(reader);
    // One without rewards is asked for in the prior's name.
    CheckSaved(posterior_.version() > 0, "it has learned from no rewards");
    learner.packed = std::make_unique_for_overwrite<double[]>(size);
    posterior_.Pack({learner.packed.get(), size});
    learner.rewards = posterior_.version();
  }
  bool has_pending = false;
  reader.Transfer(has_pending);
  if (has_pending) {
    learner.pending =
        std::make_unique<PendingDecisions>(row_size_, max_pending_);
    learner.pending->Restore(reader, true);
    CheckSaved(learner.pending->size() > 0 &&
                   learner.pending->last() == learner.decisions,
               "its decisions are out of bounds");
  }
  return learner;
}

}  // namespace manyarms
