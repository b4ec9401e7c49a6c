// A digest of everything that decisions depend on.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "service/engine/bandit_state.h"
#include "service/engine/digest.h"

namespace manyarms::service {
namespace {

// What a learner knows, and what it would know if all its open decisions were
// rewarded: that depends on each decision's features and context. (Exported
// bytes also say which decisions were made by the knowledge of the moment,
// which is not restored.)
void AddLearner(Population& scratch, const ServedLearner& learner,
                const std::vector<std::byte>& exported,
                const std::vector<OpenDecision>& open, Digest& digest) {
  digest.Add(std::string_view(learner.name()));
  for (const bool learns : {false, true}) {
    scratch.Import(learner.key, exported);
    for (const OpenDecision& decision : open) {
      const DecisionId id = learner.id_bits | decision.number;
      if (learns) {
        scratch.Learn(learner.key, id, 0.5);
      } else {
        scratch.Dismiss(learner.key, id);
      }
    }
    digest.Add(std::span<const std::byte>(scratch.Export(learner.key)));
    scratch.Forget(learner.key);
  }
}

}  // namespace

std::string ServedBandit::Digest() const {
  const State& state = *state_;
  const State::WholeWorld world(state.world);
  service::Digest digest;
  digest.Add(std::string_view(ToJson(state.settings)));
  digest.Add(state.arms->Digest());

  std::vector<const ServedLearner*> learners;
  for (std::uint32_t i = 0; i < ServedLearners::kStripes; ++i) {
    for (const auto& [name, learner] : state_->learners.At(i).learners) {
      learners.push_back(learner.get());
    }
  }
  std::ranges::sort(learners, {}, &ServedLearner::name);
  Population scratch(state.settings.population);
  for (const ServedLearner* learner : learners) {
    const std::vector<OpenDecision> open = state.open.Of(*learner);
    AddLearner(scratch, *learner, state.population->Export(learner->key), open,
               digest);
    for (const OpenDecision& decision : open) {
      digest.Add(decision.sequence);
      digest.Add(decision.time);
      digest.Add(decision.number);
      digest.Add(static_cast<std::uint64_t>(decision.chooser));
      digest.Add(std::uint64_t{decision.active});
      const RewardParts parts =
          state.open.PartsOf(decision.sequence).value_or(RewardParts{});
      for (const double part : {parts.first, parts.sum, parts.last}) {
        digest.Add(part);
      }
    }
  }
  // Threads may remember them in another order than that of the store.
  std::uint64_t events = 0;
  state.events.ForEach([&](const std::string& event, const auto& answered) {
    service::Digest one;
    one.Add(std::string_view(event));
    one.Add(answered.learner);
    one.Add(answered.first);
    one.Add(std::uint64_t{answered.count});
    events += one.value();
  });
  digest.Add(events);
  return fmt::format("{:016x}", digest.value());
}

}  // namespace manyarms::service
