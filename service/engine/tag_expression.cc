#include "service/engine/tag_expression.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "manyarms/error.h"

namespace manyarms::service {
namespace {

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') ||
         std::string_view("_-.:/").find(c) != std::string_view::npos;
}

}  // namespace

// A recursive descent: an `or` of `and`s of tags, each perhaps negated or in
// parentheses.
class TagExpression::Parser {
 public:
  Parser(std::string_view text, TagExpression& to) : text_(text), to_(to) {}

  void Parse() {
    Or(0);
    SkipSpaces();
    if (at_ < text_.size()) Fail("expected and, or, or the end");
  }

 private:
  using Index = std::uint32_t;

  [[noreturn]] void Fail(const std::string& what) const {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("tags: {} (at byte {})", what, at_ + 1));
  }

  void SkipSpaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' ||
                                  text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  Index Push(const Node& node) {
    to_.nodes_.push_back(node);
    return static_cast<Index>(to_.nodes_.size() - 1);
  }

  bool AcceptWord(std::string_view word) {
    SkipSpaces();
    if (!text_.substr(at_).starts_with(word)) return false;
    const std::size_t end = at_ + word.size();
    if (end < text_.size() && IsPlain(text_[end])) return false;
    at_ = end;
    return true;
  }

  Index Or(std::size_t depth) {
    Index left = And(depth);
    while (AcceptWord("or")) left = Push({Kind::kOr, left, And(depth)});
    return left;
  }

  Index And(std::size_t depth) {
    Index left = Not(depth);
    while (AcceptWord("and")) left = Push({Kind::kAnd, left, Not(depth)});
    return left;
  }

  Index Not(std::size_t depth) {
    if (depth > kMostDepth) {
      Fail(fmt::format("nested deeper than {}", kMostDepth));
    }
    if (AcceptWord("not")) return Push({Kind::kNot, Not(depth + 1), 0});
    SkipSpaces();
    if (at_ < text_.size() && text_[at_] == '(') {
      ++at_;
      const Index inner = Or(depth + 1);
      SkipSpaces();
      if (at_ == text_.size() || text_[at_] != ')') Fail("expected )");
      ++at_;
      return inner;
    }
    return Tag();
  }

  Index Tag() {
    if (AcceptWord("and") || AcceptWord("or")) Fail("expected a tag before");
    std::string tag;
    if (at_ < text_.size() && text_[at_] == '"') {
      tag = Quoted();
    } else {
      while (at_ < text_.size() && IsPlain(text_[at_])) tag += text_[at_++];
    }
    if (tag.empty()) Fail("expected a tag");
    const auto found = std::ranges::find(to_.tags_, tag);
    const auto number = static_cast<Index>(found - to_.tags_.begin());
    if (found == to_.tags_.end()) to_.tags_.push_back(tag);
    return Push({Kind::kTag, number, 0});
  }

  std::string Quoted() {
    std::string tag;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
        if (at_ == text_.size() || (text_[at_] != '"' && text_[at_] != '\\')) {
          Fail(R"(expected \" or \\)");
        }
      }
      tag += text_[at_];
    }
    if (at_ == text_.size()) Fail("a quoted tag does not end");
    ++at_;
    return tag;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  TagExpression& to_;
};

TagExpression::TagExpression(std::string_view text) {
  if (text.size() > kMostBytes) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("tags: an expression of {} bytes, at most {} are "
                            "allowed",
                            text.size(), kMostBytes));
  }
  if (Utf8PrefixLength(text) != text.size()) {
    throw Error(ErrorCode::kInvalidArgument, "tags: not UTF-8");
  }
  Parser(text, *this).Parse();
}

}  // namespace manyarms::service
