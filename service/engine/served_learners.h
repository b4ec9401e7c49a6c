#ifndef MANYARMS_SERVICE_ENGINE_SERVED_LEARNERS_H_
#define MANYARMS_SERVICE_ENGINE_SERVED_LEARNERS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "manyarms/learner_key.h"
#include "manyarms/types.h"
#include "service/store/changes.h"

namespace manyarms::service {

/// What the service keeps of a learner, beside what the population has. Guarded
/// by the lock of its stripe, but for its open decisions.
struct ServedLearner {
  ServedLearner(const std::string& name, std::uint64_t learner_hash)
      : key(name), hash(learner_hash) {}

  const std::string& name() const { return key.text(); }

  const LearnerKey key;
  const std::uint64_t hash;    ///< ServedLearners::HashOf
  DecisionId id_bits = 0;      ///< what ids of its decisions have in common
  Sequence as_of = 0;          ///< what the store's LearnerSaved includes
  Sequence first_unsaved = 0;  ///< the first event after that; 0: none
  std::uint32_t unsaved = 0;   ///< number of events after that
  bool has_changed = false;    ///< since it was saved
  bool listed = false;         ///< among those that may have to be saved

  // Of OpenDecisions, which guards them.
  std::uint32_t first_open = ~std::uint32_t{0};
  std::uint32_t last_open = ~std::uint32_t{0};
  std::uint32_t open = 0;
};

/// The learners of a bandit, in stripes. Whoever makes decisions or learns
/// holds the lock of the learner's stripe until the store has got the event, so
/// that the events of a learner are written in the order in which they
/// happened.
class ServedLearners {
 public:
  static constexpr std::size_t kStripes = 256;

  struct alignas(64) Stripe {
    std::mutex mutex;
    // By name: keys are views of ServedLearner::key.
    std::unordered_map<std::string_view, std::unique_ptr<ServedLearner>>
        learners;
    std::vector<ServedLearner*> to_save;
    std::vector<ServedLearner*> saving;  // those of them that are next

    /// All that have to be saved are next.
    void BeginSaving() {
      to_save.insert(to_save.end(), saving.begin(), saving.end());
      saving.clear();
      saving.swap(to_save);
    }
  };

  static std::uint64_t HashOf(std::string_view name) {
    return std::hash<std::string_view>()(name);
  }
  static std::uint32_t StripeNumber(std::uint64_t hash) {
    return static_cast<std::uint32_t>((hash >> 40) % kStripes);
  }

  Stripe& StripeOf(std::uint64_t hash) { return stripes_[StripeNumber(hash)]; }
  Stripe& At(std::uint32_t number) { return stripes_[number]; }

  /// REQUIRES for the rest: the caller holds the lock of the stripe.

  static ServedLearner* Find(const Stripe& stripe, std::string_view name) {
    const auto found = stripe.learners.find(name);
    return found == stripe.learners.end() ? nullptr : found->second.get();
  }

  ServedLearner& Add(Stripe& stripe, const std::string& name) {
    auto made = std::make_unique<ServedLearner>(name, HashOf(name));
    ServedLearner& learner = *made;
    stripe.learners.emplace(learner.key.text(), std::move(made));
    ++size_;
    return learner;
  }

  void Remove(Stripe& stripe, ServedLearner& learner) {
    std::erase(stripe.to_save, &learner);
    std::erase(stripe.saving, &learner);
    stripe.learners.erase(stripe.learners.find(learner.key.text()));
    --size_;
  }

  /// The learner may change, and has to be saved some time then.
  static void List(Stripe& stripe, ServedLearner& learner) {
    if (learner.listed) return;
    stripe.to_save.push_back(&learner);
    learner.listed = true;
  }

  std::size_t size() const { return size_; }

  /// Removes all. REQUIRES: nobody else uses them.
  void Clear() {
    for (Stripe& stripe : stripes_) {
      stripe.to_save.clear();
      stripe.saving.clear();
      stripe.learners.clear();
    }
    size_ = 0;
  }

 private:
  std::array<Stripe, kStripes> stripes_;
  std::atomic<std::size_t> size_ = 0;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_SERVED_LEARNERS_H_
