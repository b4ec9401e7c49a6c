#include "service/engine/tag_sets.h"

#include <algorithm>
#include <optional>

#include "service/engine/reserve_growing.h"

namespace manyarms::service {

std::size_t TagSets::Hash::operator()(
    const std::vector<TagNumber>& tags) const {
  std::size_t hash = tags.size();
  for (const TagNumber tag : tags) {
    hash = (hash ^ tag) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29;
  }
  return hash;
}

TagSets::TagNumber TagSets::NumberOf(const std::string& tag) {
  const auto known = tag_numbers_.find(tag);
  if (known != tag_numbers_.end()) return known->second;
  if (free_tags_.empty()) {
    ReserveGrowing(free_tags_, tags_.size() + 1);  // so that Forget never fails
    tags_.emplace_back();
    free_tags_.push_back(static_cast<TagNumber>(tags_.size() - 1));
  }
  const auto added = tag_numbers_.try_emplace(tag, free_tags_.back()).first;
  tags_[added->second] = {.text = &added->first, .sets = 0};
  free_tags_.pop_back();
  return added->second;
}

void TagSets::Forget(TagNumber tag) {
  tag_numbers_.erase(tag_numbers_.find(*tags_[tag].text));
  tags_[tag] = {};
  free_tags_.push_back(tag);
}

TagSets::SetNumber TagSets::Take(std::span<const std::string> tags) {
  if (tags.empty()) return 0;
  std::vector<TagNumber> numbers;
  numbers.reserve(tags.size());
  const auto forget_new = [&] {
    for (const TagNumber number : numbers) {
      if (tags_[number].sets == 0) Forget(number);
    }
  };
  try {
    for (const std::string& tag : tags) numbers.push_back(NumberOf(tag));
    std::ranges::sort(numbers);
    const auto known = set_numbers_.find(numbers);
    if (known != set_numbers_.end()) {
      ++sets_[known->second].users;
      return known->second;
    }
    if (free_sets_.empty()) {
      ReserveGrowing(free_sets_, sets_.size() + 1);
      sets_.emplace_back();
      free_sets_.push_back(static_cast<SetNumber>(sets_.size() - 1));
    }
    const SetNumber set = free_sets_.back();
    sets_[set].tags = numbers;
    set_numbers_.try_emplace(numbers, set);
    free_sets_.pop_back();
    sets_[set].users = 1;
    for (const TagNumber number : numbers) ++tags_[number].sets;
    return set;
  } catch (...) {
    forget_new();
    throw;
  }
}

void TagSets::Release(SetNumber set) {
  if (set == 0 || --sets_[set].users > 0) return;
  set_numbers_.erase(set_numbers_.find(sets_[set].tags));
  for (const TagNumber tag : sets_[set].tags) {
    if (--tags_[tag].sets == 0) Forget(tag);
  }
  sets_[set].tags = {};
  free_sets_.push_back(set);
}

std::vector<std::string> TagSets::TagsOf(SetNumber set) const {
  std::vector<std::string> tags;
  tags.reserve(sets_[set].tags.size());
  for (const TagNumber tag : sets_[set].tags) tags.push_back(*tags_[tag].text);
  std::ranges::sort(tags);
  return tags;
}

std::vector<std::pair<std::string, std::uint64_t>> TagSets::Counts() const {
  std::vector<std::uint64_t> users(tags_.size());
  for (const Set& set : sets_) {
    for (const TagNumber tag : set.tags) users[tag] += set.users;
  }
  std::vector<std::pair<std::string, std::uint64_t>> counts;
  counts.reserve(tag_numbers_.size());
  for (const auto& [text, tag] : tag_numbers_) {
    counts.emplace_back(text, users[tag]);
  }
  std::ranges::sort(counts);
  return counts;
}

std::vector<char> TagSets::Holding(const TagExpression& expression) const {
  std::vector<std::optional<TagNumber>> numbers;
  for (const std::string& tag : expression.tags()) {
    const auto known = tag_numbers_.find(tag);
    numbers.push_back(known == tag_numbers_.end()
                          ? std::nullopt
                          : std::optional(known->second));
  }
  std::vector<char> holding;
  holding.reserve(sets_.size());
  for (const Set& set : sets_) {
    holding.push_back(expression.Holds([&](std::uint32_t tag) {
      return numbers[tag] &&
             std::ranges::binary_search(set.tags, *numbers[tag]);
    })
                          ? 1
                          : 0);
  }
  return holding;
}

}  // namespace manyarms::service
