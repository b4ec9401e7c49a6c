#include "service/engine/tag_expression.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "service/engine/tag_sets.h"
#include "testing.h"

namespace manyarms::service {
namespace {

using testing::ExpectError;
using Tags = std::set<std::string>;

bool Holds(const std::string& text, const Tags& tags) {
  const TagExpression expression(text);
  return expression.Holds(
      [&](std::size_t i) { return tags.contains(expression.tags()[i]); });
}

TEST(TagExpression, BindsNotMoreThanAndMoreThanOr) {
  EXPECT_TRUE(Holds("a or b and c", {"a"}));
  EXPECT_FALSE(Holds("(a or b) and c", {"a"}));
  EXPECT_TRUE(Holds("not a and b", {"b"}));
  EXPECT_TRUE(Holds("not (a and b)", {"b"}));
  EXPECT_FALSE(Holds("not a or b and not b", {"a", "b"}));
  EXPECT_TRUE(Holds("not not a", {"a"}));
  EXPECT_TRUE(Holds("a and not b and not c or d", {"a"}));
}

TEST(TagExpression, TakesPlainAndQuotedTags) {
  EXPECT_TRUE(Holds("shop/new_2-x.y:z", {"shop/new_2-x.y:z"}));
  EXPECT_TRUE(Holds(R"("and" and "or")", {"and", "or"}));
  EXPECT_TRUE(Holds(R"("say \"hi\" \\")", {R"(say "hi" \)"}));
  EXPECT_TRUE(Holds("\"größe\"", {"größe"}));
  EXPECT_TRUE(Holds("android", {"android"}));
  EXPECT_TRUE(Holds("notes and(order)or\tx", {"notes", "order"}));
  EXPECT_TRUE(Holds("not(a)", {}));
}

TEST(TagExpression, RefusesWhatCannotBeRead) {
  for (const char* text :
       {"", " ", "a b", "and", "a and", "or a", "a and or b", "not", "(a", "a)",
        "()", "a and and b", "\"a", R"("a\n")", "\"\"", "a & b", "größe",
        "not and", "\"a\\"}) {
    SCOPED_TRACE(text);
    ExpectError(ErrorCode::kInvalidArgument, {"tags: ", "at byte"},
                [&] { TagExpression expression(text); });
  }
  ExpectError(ErrorCode::kInvalidArgument, {"not UTF-8"},
              [] { TagExpression expression("\"\xff\""); });
}

TEST(TagExpression, HasBounds) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '(') + "a" + std::string(depth, ')');
  };
  EXPECT_TRUE(Holds(nested(TagExpression::kMostDepth), {"a"}));
  ExpectError(ErrorCode::kInvalidArgument, {"nested deeper than 32"}, [&] {
    TagExpression expression(nested(TagExpression::kMostDepth + 1));
  });
  std::string nots;
  for (int i = 0; i < 33; ++i) nots += "not ";
  ExpectError(ErrorCode::kInvalidArgument, {"nested deeper"},
              [&] { TagExpression expression(nots + "a"); });
  ExpectError(ErrorCode::kInvalidArgument, {"4097 bytes", "4096"},
              [] { TagExpression expression(std::string(4097, 'a')); });
  // A long one without parentheses is evaluated, too.
  std::string chain = "a";
  while (chain.size() < 4000) chain += " or b";
  EXPECT_TRUE(Holds(chain, {"a"}));
}

// A random expression, and whether it holds, which is computed beside it: an
// `or` of `and`s of tags or parentheses, some of them negated.
std::pair<std::string, bool> Random(std::mt19937& random, const Tags& tags,
                                    int depth) {
  std::string text;
  bool any = false;
  for (unsigned i = 0; i <= random() % 3; ++i) {
    bool all = true;
    if (i > 0) text += " or ";
    for (unsigned j = 0; j <= random() % 3; ++j) {
      if (j > 0) text += " and ";
      const bool is_negated = random() % 3 == 0;
      if (is_negated) text += "not ";
      bool holds = false;
      if (depth > 0 && random() % 2 == 0) {
        const auto [inner, is_inner] = Random(random, tags, depth - 1);
        text += '(' + inner + ')';
        holds = is_inner;
      } else {
        const std::string tag = fmt::format("t{}", random() % 5);
        text += random() % 4 == 0 ? '"' + tag + '"' : tag;
        holds = tags.contains(tag);
      }
      all = all && holds != is_negated;
    }
    any = any || all;
  }
  return {text, any};
}

TEST(TagExpression, HoldsAsItsTwinSays) {
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed)
  for (int i = 0; i < 3000; ++i) {
    Tags tags;
    for (int tag = 0; tag < 5; ++tag) {
      if (random() % 2 == 0) tags.insert(fmt::format("t{}", tag));
    }
    const auto [text, expected] = Random(random, tags, 3);
    if (text.size() > TagExpression::kMostBytes) continue;
    ASSERT_EQ(Holds(text, tags), expected) << text;
  }
}

TEST(TagSets, KnowTheirUsersAndWhereExpressionsHold) {
  std::mt19937 random(2);  // NOLINT(bugprone-random-generator-seed)
  TagSets sets;
  std::vector<std::pair<TagSets::SetNumber, Tags>> users;
  for (int step = 0; step < 4000; ++step) {
    if (random() % 2 == 0 || users.empty()) {
      Tags tags;
      for (unsigned i = random() % 4; i > 0; --i) {
        tags.insert(fmt::format("t{}", random() % 6));
      }
      const std::vector<std::string> ordered(tags.begin(), tags.end());
      users.emplace_back(sets.Take(ordered), tags);
    } else {
      const std::size_t at = random() % users.size();
      sets.Release(users[at].first);
      users.erase(users.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (step % 50 != 0) continue;
    std::map<std::string, std::uint64_t> counts;
    for (const auto& [set, tags] : users) {
      for (const std::string& tag : tags) ++counts[tag];
      ASSERT_EQ(sets.TagsOf(set),
                std::vector<std::string>(tags.begin(), tags.end()));
    }
    ASSERT_EQ(sets.Counts(),
              (std::vector<std::pair<std::string, std::uint64_t>>(
                  counts.begin(), counts.end())));
    const std::string text = Random(random, {}, 1).first;
    const std::vector<char> holding = sets.Holding(TagExpression(text));
    for (const auto& [set, tags] : users) {
      ASSERT_EQ(holding.at(set) != 0, Holds(text, tags)) << text;
    }
  }
}

}  // namespace
}  // namespace manyarms::service
