#include "population/learner_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "manyarms/error.h"

namespace manyarms {

Learner LearnerTable::Take(const LearnerKey& key) {
  Shard& shard = ShardOf(key);
  const std::unique_lock lock(shard.mutex);
  const auto at = shard.learners.find(key);
  if (at == shard.learners.end()) FailUnknown(key);
  shard.bytes -= BytesOf(*at);
  Learner learner = std::move(at->second);
  shard.learners.erase(at);
  return learner;
}

std::optional<Learner> LearnerTable::Put(const LearnerKey& key,
                                         Learner learner) {
  Shard& shard = ShardOf(key);
  const std::unique_lock lock(shard.mutex);
  const auto [at, made] = shard.learners.try_emplace(key);
  std::optional<Learner> before;
  if (!made) {
    shard.bytes -= BytesOf(*at);
    before = std::move(at->second);
  }
  at->second = std::move(learner);
  at->second.asker = ++askers_;
  shard.bytes += BytesOf(*at);
  return before;
}

std::size_t LearnerTable::size() const {
  std::size_t size = 0;
  for (const Shard& shard : shards_) {
    const std::shared_lock lock(shard.mutex);
    size += shard.learners.size();
  }
  return size;
}

std::size_t LearnerTable::memory_bytes() const {
  std::size_t bytes = 0;
  for (const Shard& shard : shards_) {
    const std::shared_lock lock(shard.mutex);
    bytes += shard.bytes + shard.learners.bucket_count() * sizeof(void*);
  }
  return bytes;
}

std::vector<const LearnerTable::Learners::value_type*> LearnerTable::Sorted(
    const Shard& shard) {
  std::vector<const Learners::value_type*> entries;
  entries.reserve(shard.learners.size());
  for (const auto& entry : shard.learners) entries.push_back(&entry);
  std::ranges::sort(entries, {}, [](const auto* entry) -> const LearnerKey& {
    return entry->first;
  });
  return entries;
}

std::vector<const LearnerTable::Learners::value_type*>
LearnerTable::SortedByHash(const Shard& shard) {
  std::vector<const Learners::value_type*> entries = Sorted(shard);
  std::ranges::sort(entries, [](const auto* one, const auto* other) {
    const std::uint64_t hash = StableHash(one->first);
    const std::uint64_t others = StableHash(other->first);
    return hash != others ? hash < others : one->first < other->first;
  });
  return entries;
}

std::size_t LearnerTable::BytesOf(const Learners::value_type& entry) const {
  const auto& [key, learner] = entry;
  constexpr std::size_t kAllocation = 16;  // what the allocator adds to each
  std::size_t bytes = sizeof(entry) + 2 * sizeof(void*) + kAllocation;
  if (!key.is_number()) bytes += key.text().capacity();
  if (learner.packed) bytes += packed_bytes_ + kAllocation;
  if (learner.pending) bytes += learner.pending->memory_bytes() + kAllocation;
  return bytes;
}

void LearnerTable::FailUnknown(const LearnerKey& key) {
  throw Error(ErrorCode::kUnknownId,
              fmt::format("there is no learner {}", ToString(key)));
}

}  // namespace manyarms
