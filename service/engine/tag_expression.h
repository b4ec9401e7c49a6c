#ifndef MANYARMS_SERVICE_ENGINE_TAG_EXPRESSION_H_
#define MANYARMS_SERVICE_ENGINE_TAG_EXPRESSION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace manyarms::service {

/// Which arms are eligible by their tags: `shoes and (red or blue) and not
/// sale`. `not` binds more than `and`, and `and` more than `or`. Tags that are
/// these words, or have other characters than letters, digits and _-.:/, stand
/// in double quotes, within which \" and \\ stand for " and \.
class TagExpression {
 public:
  static constexpr std::size_t kMostBytes = 4096;
  static constexpr std::size_t kMostDepth = 32;

  /// Throws Error(kInvalidArgument) with the place of what is wrong.
  explicit TagExpression(std::string_view text);

  /// The tags that it speaks of, each once.
  const std::vector<std::string>& tags() const { return tags_; }

  /// Whether it holds of an arm that has tag i, of tags(), iff has(i).
  template <class Has>
  bool Holds(const Has& has) const {
    return Holds(nodes_.back(), has);
  }

 private:
  enum class Kind : std::uint8_t { kTag, kNot, kAnd, kOr };
  struct Node {
    Kind kind = Kind::kTag;
    std::uint32_t first = 0;   // a tag, or a node
    std::uint32_t second = 0;  // a node
  };
  class Parser;

  template <class Has>
  bool Holds(const Node& node, const Has& has) const {
    switch (node.kind) {
      case Kind::kTag:
        return has(node.first);
      case Kind::kNot:
        return !Holds(nodes_[node.first], has);
      case Kind::kAnd:
        return Holds(nodes_[node.first], has) &&
               Holds(nodes_[node.second], has);
      case Kind::kOr:
        return Holds(nodes_[node.first], has) ||
               Holds(nodes_[node.second], has);
    }
    return false;
  }

  std::vector<std::string> tags_;
  std::vector<Node> nodes_;  // the last one is the whole
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_TAG_EXPRESSION_H_
