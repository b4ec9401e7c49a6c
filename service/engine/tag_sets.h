#ifndef MANYARMS_SERVICE_ENGINE_TAG_SETS_H_
#define MANYARMS_SERVICE_ENGINE_TAG_SETS_H_

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "service/engine/tag_expression.h"

namespace manyarms::service {

/// The sets of tags that arms have. Many arms have the same one, which is kept
/// once, with the number of its users.
///
/// Thread safety: any number of threads may call const methods while no thread
/// calls another one.
class TagSets {
 public:
  /// 0 is the set without tags.
  using SetNumber = std::uint32_t;

  TagSets() : sets_(1) {}

  /// The set of these tags, which has one user more. REQUIRES: they are in
  /// alphabetical order, each once.
  SetNumber Take(std::span<const std::string> tags);

  /// The set has one user less.
  void Release(SetNumber set);

  /// In alphabetical order.
  std::vector<std::string> TagsOf(SetNumber set) const;

  /// All tags, in alphabetical order, with the users of their sets.
  std::vector<std::pair<std::string, std::uint64_t>> Counts() const;

  /// Whether the expression holds, for each set by its number.
  std::vector<char> Holding(const TagExpression& expression) const;

 private:
  using TagNumber = std::uint32_t;

  struct Tag {
    const std::string* text = nullptr;  // a key of tag_numbers_, or null
    std::uint32_t sets = 0;             // that have it
  };
  struct Set {
    std::vector<TagNumber> tags;  // ascending
    std::uint64_t users = 0;
  };
  struct Hash {
    std::size_t operator()(const std::vector<TagNumber>& tags) const;
  };

  TagNumber NumberOf(const std::string& tag);
  void Forget(TagNumber tag);

  std::unordered_map<std::string, TagNumber> tag_numbers_;
  std::vector<Tag> tags_;
  std::vector<TagNumber> free_tags_;
  std::unordered_map<std::vector<TagNumber>, SetNumber, Hash> set_numbers_;
  std::vector<Set> sets_;
  std::vector<SetNumber> free_sets_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_TAG_SETS_H_
