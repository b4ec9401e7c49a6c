#ifndef MANYARMS_POPULATION_LEARNER_TABLE_H_
#define MANYARMS_POPULATION_LEARNER_TABLE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/parallel_for.h"
#include "base/shared_mutex.h"
#include "manyarms/learner_key.h"
#include "population/key_hash.h"
#include "population/learner.h"

namespace manyarms {

/// All learners by key, in shards with a lock each, so that threads that need
/// different learners rarely wait for each other. A thread must not call any
/// method from within `use`, `read` or `visit`.
class LearnerTable {
 public:
  static constexpr std::size_t kShards = 64;

  /// `packed_bytes` is what a packed posterior takes.
  explicit LearnerTable(std::size_t packed_bytes)
      : packed_bytes_(packed_bytes) {}

  /// Calls use(learner) while nobody else has the learner. A learner that does
  /// not exist is made, and if `use` throws it is removed again.
  template <class Work>
  decltype(auto) Change(const LearnerKey& key, const Work& use) {
    Shard& shard = ShardOf(key);
    const std::unique_lock lock(shard.mutex);
    const auto [at, made] = shard.learners.try_emplace(key);
    if (!made) return Use(shard, *at, use);
    at->second.asker = ++askers_;
    shard.bytes += BytesOf(*at);
    try {
      return Use(shard, *at, use);
    } catch (...) {
      shard.bytes -= BytesOf(*at);
      shard.learners.erase(at);
      throw;
    }
  }

  /// The same for a learner that must exist. Throws Error(kUnknownId).
  template <class Work>
  decltype(auto) ChangeExisting(const LearnerKey& key, const Work& use) {
    Shard& shard = ShardOf(key);
    const std::unique_lock lock(shard.mutex);
    const auto at = shard.learners.find(key);
    if (at == shard.learners.end()) FailUnknown(key);
    return Use(shard, *at, use);
  }

  /// Calls read(learner), with null if it does not exist. Others may read it at
  /// the same time.
  template <class Read>
  decltype(auto) Look(const LearnerKey& key, const Read& read) const {
    const Shard& shard = ShardOf(key);
    const std::shared_lock lock(shard.mutex);
    const auto at = shard.learners.find(key);
    return read(at == shard.learners.end() ? nullptr : &at->second);
  }

  /// Puts a learner into the table, with a new number as asker, and returns the
  /// one that had the key before, if there was one.
  std::optional<Learner> Put(const LearnerKey& key, Learner learner);

  /// Calls work(i) for each key's place i, on several threads. Those of one
  /// learner are called in ascending order.
  template <class Work>
  static void ForEachOf(std::span<const LearnerKey> keys, const Work& work) {
    std::vector<std::vector<std::size_t>> places(kShards);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      places[PlaceOf(keys[i])].push_back(i);
    }
    ParallelFor(kShards, 1, [&](std::size_t shard, std::size_t /*end*/) {
      for (const std::size_t i : places[shard]) work(i);
    });
  }

  /// Calls visit(learner) for up to `most` learners for which wanted(learner)
  /// is true: always the same ones, which depend on their keys as if they were
  /// drawn at random. Nobody changes them meanwhile.
  template <class Wanted, class Visit>
  void Sample(std::size_t most, const Wanted& wanted,
              const Visit& visit) const {
    for (const Shard& shard : shards_) {
      const std::shared_lock lock(shard.mutex);
      for (const auto* entry : SortedByHash(shard)) {
        if (most == 0) return;
        if (!wanted(entry->second)) continue;
        visit(entry->second);
        --most;
      }
    }
  }

  /// A number for somebody else who asks for arms.
  std::uint64_t NewAsker() { return ++askers_; }

  /// Removes a learner and returns it. Throws Error(kUnknownId).
  Learner Take(const LearnerKey& key);

  /// Calls begin(count) and then visit(key, learner) for each learner of a
  /// shard, in ascending order of keys, for one shard after another. Nobody
  /// changes learners of a shard meanwhile.
  template <class Begin, class Visit>
  void ForEachShard(const Begin& begin, const Visit& visit) const {
    for (const Shard& shard : shards_) {
      const std::shared_lock lock(shard.mutex);
      begin(shard.learners.size());
      for (const auto* entry : Sorted(shard)) {
        visit(entry->first, entry->second);
      }
    }
  }

  std::size_t size() const;

  /// What learners take, with their keys and pending decisions.
  std::size_t memory_bytes() const;

  [[noreturn]] static void FailUnknown(const LearnerKey& key);

 private:
  using Learners = std::unordered_map<LearnerKey, Learner, KeyHash>;

  struct Shard {
    mutable SharedMutex mutex{LockLevel::kLearners};
    Learners learners;
    std::size_t bytes = 0;
  };

  static std::vector<const Learners::value_type*> Sorted(const Shard& shard);
  static std::vector<const Learners::value_type*> SortedByHash(
      const Shard& shard);

  // Calls use(learner), and counts by how much it has grown.
  template <class Work>
  decltype(auto) Use(Shard& shard, Learners::value_type& entry,
                     const Work& use) {
    struct Counting {
      ~Counting() { shard.bytes += table.BytesOf(entry) - before; }
      const LearnerTable& table;
      Shard& shard;
      const Learners::value_type& entry;
      std::size_t before;
    };
    const Counting counting{*this, shard, entry, BytesOf(entry)};
    return use(entry.second);
  }

  std::size_t BytesOf(const Learners::value_type& entry) const;

  // The upper bits of the hash, of which maps use the lower ones.
  static std::size_t PlaceOf(const LearnerKey& key) {
    return (StableHash(key) >> 32) % kShards;
  }
  const Shard& ShardOf(const LearnerKey& key) const {
    return shards_[PlaceOf(key)];
  }
  Shard& ShardOf(const LearnerKey& key) { return shards_[PlaceOf(key)]; }

  const std::size_t packed_bytes_;
  std::array<Shard, kShards> shards_;
  std::atomic<std::uint64_t> askers_ = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_POPULATION_LEARNER_TABLE_H_
