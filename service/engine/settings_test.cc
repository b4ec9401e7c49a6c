#include "service/engine/settings.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "manyarms/rewards.h"
#include "policy/kinds.h"
#include "search/kinds.h"
#include "service/engine/strict_json.h"
#include "testing.h"

namespace manyarms::service {
namespace {

using testing::ExpectError;

TEST(Settings, HaveDefaults) {
  const Settings settings = ParseSettings(R"({"dim":4})");
  Settings expected;
  expected.population.dim = 4;
  expected.population.max_pending = std::size_t{1} << 20;
  EXPECT_EQ(settings, expected);
  EXPECT_TRUE(settings.named_arms);
  EXPECT_EQ(settings.semantics.reward_wait, 3600);
  EXPECT_EQ(settings.semantics.default_reward, std::nullopt);
}

TEST(Settings, TakeEveryField) {
  const Settings settings = ParseSettings(R"({
      "dim":3, "policy":"ucb", "search":"scan", "regularisation":2.5,
      "rewards":"clicks", "forgetting":0.9, "explore_uniform":0.25,
      "context_dim":2, "context_constants":false, "negative_rewards":false,
      "seed":18446744073709551615, "max_pending":77, "order_budget":1000,
      "arms":"numbers", "reward_wait":12.5, "default_reward":0.5,
      "aggregation":"last", "mode":"apprentice", "probability_draws":20})");
  EXPECT_EQ(PolicyName(settings.population.policy), "ucb");
  EXPECT_EQ(SearchName(settings.population.search), "scan");
  EXPECT_EQ(settings.population.regularisation, 2.5);
  EXPECT_EQ(settings.population.rewards, RewardModel::kClicks);
  EXPECT_EQ(settings.population.forgetting, 0.9);
  EXPECT_EQ(settings.population.explore_uniform, 0.25);
  EXPECT_EQ(settings.population.context_dim, 2U);
  EXPECT_FALSE(settings.population.context_constants);
  EXPECT_EQ(settings.population.seed, ~std::uint64_t{0});
  EXPECT_EQ(settings.population.max_pending, 77U);
  EXPECT_EQ(settings.population.order_budget, 1000U);
  EXPECT_FALSE(settings.named_arms);
  EXPECT_EQ(settings.semantics, (Semantics{.reward_wait = 12.5,
                                           .default_reward = 0.5,
                                           .aggregation = Aggregation::kLast,
                                           .mode = Mode::kApprentice,
                                           .probability_draws = 20}));
  EXPECT_EQ(ParseSettings(ToJson(settings)), settings);
}

TEST(Settings, TakeAHalfLifeInPlaceOfForgetting) {
  const Settings settings = ParseSettings(R"({"dim":3,"half_life":100})");
  EXPECT_EQ(settings.population.forgetting, ForgettingOfHalfLife(100));
  EXPECT_EQ(ParseSettings(ToJson(settings)), settings);
}

// All policies and searches with all of their options.
TEST(Settings, AreTheSameWhenTheyAreReadAgain) {
  int read = 0;
  for (const std::string_view policy : PolicyKinds::Names()) {
    if (policy == "elim") continue;
    for (const std::string_view search : SearchKinds::Names()) {
      const std::string json =
          fmt::format(R"({{"dim":2,"policy":"{}","search":"{}","seed":3}})",
                      policy, search);
      SCOPED_TRACE(json);
      Settings settings;
      try {
        settings = ParseSettings(json);
      } catch (const Error& error) {
        // Not every search serves every policy.
        EXPECT_EQ(error.code(), ErrorCode::kUnsupported) << error.what();
        continue;
      }
      ++read;
      EXPECT_EQ(ParseSettings(ToJson(settings)), settings);
    }
  }
  EXPECT_GE(read, 8);
}

TEST(Settings, TakeOptionsOfPoliciesAndSearches) {
  const Settings settings = ParseSettings(
      R"({"dim":2,"exploration":0.5,"first_pass":false,"background":false})");
  EXPECT_EQ(std::get<ThompsonOptions>(settings.population.policy).exploration,
            Exploration(0.5));
  const auto& search = std::get<CertifiedOptions>(settings.population.search);
  EXPECT_FALSE(search.first_pass);
  EXPECT_FALSE(search.background);
}

struct Bad {
  std::string fields;
  ErrorCode code = ErrorCode::kInvalidArgument;
  // NOLINTNEXTLINE(readability-redundant-member-init): g++ warns without it
  std::string part = {};
};

TEST(Settings, RefuseWhatIsWrong) {
  const ErrorCode invalid = ErrorCode::kInvalidArgument;
  for (const Bad& bad : std::vector<Bad>{
           {R"("dim":0)", invalid, "0"},
           {R"("dim":5000)", invalid, "5000"},
           {R"("dim":"4")", invalid, "dim is \"4\""},
           {R"("dim":4.0)", invalid, "dim is 4.0"},
           {R"("dim":-4)", invalid, "dim is -4"},
           {R"("dim":null)", invalid, "dim is missing"},
           {R"("dim":4,"polciy":"ts")", invalid, "no field \"polciy\""},
           {R"("dim":4,"policy":"best")", invalid, "policy is \"best\""},
           {R"("dim":4,"policy":3)", invalid, "policy is 3"},
           {R"("dim":4,"policy":"elim")", ErrorCode::kUnsupported, "elim"},
           {R"("dim":4,"search":"none")", invalid, "search is \"none\""},
           {R"("dim":4,"search":"hnsw")", ErrorCode::kUnsupported, "hnsw"},
           {R"("dim":4,"search":"lsh")", ErrorCode::kUnsupported, "lsh"},
           {R"("dim":4,"search":"lsh-theory")", ErrorCode::kUnsupported,
            "lsh-theory"},
           {R"("dim":4,"exploration":"theory")", invalid, "exploration"},
           {R"("dim":4,"exploration":-1)", invalid, "exploration"},
           {R"("dim":4,"first_pass":1)", invalid, "first_pass"},
           {R"("dim":4,"regularisation":0)", invalid, "regularisation"},
           {R"("dim":4,"rewards":"euros")", invalid, "rewards is \"euros\""},
           {R"("dim":4,"forgetting":1.5)", invalid, "forgetting"},
           {R"("dim":4,"forgetting":0.9,"half_life":3)", invalid, "the same"},
           {R"("dim":4,"half_life":0.01)", invalid, "half"},
           {R"("dim":4,"explore_uniform":1.1)", invalid, "explore_uniform"},
           {R"("dim":4,"context_dim":5000)", invalid, "5000"},
           {R"("dim":4,"context_constants":"no")", invalid, "context_con"},
           {R"("dim":4,"negative_rewards":true)", ErrorCode::kUnsupported,
            "negative_rewards"},
           {R"("dim":4,"seed":-1)", invalid, "seed is -1"},
           {R"("dim":4,"max_pending":0)", invalid, "pending"},
           {R"("dim":4,"max_pending":4294967296)", invalid, "pending"},
           {R"("dim":4,"order_budget":0)", invalid, "order budget"},
           {R"("dim":4,"arms":"letters")", invalid, "arms is \"letters\""},
           {R"("dim":4,"reward_wait":0)", invalid, "reward_wait"},
           {R"("dim":4,"reward_wait":1e9)", invalid, "reward_wait"},
           {R"("dim":4,"reward_wait":"1h")", invalid, "reward_wait"},
           {R"("dim":4,"default_reward":2e9)", invalid, "default_reward"},
           {R"("dim":4,"rewards":"clicks","default_reward":2)", invalid,
            "default_reward"},
           {R"("dim":4,"aggregation":"mean")", invalid, "aggregation"},
           {R"("dim":4,"mode":"idle")", invalid, "mode is \"idle\""},
           {R"("dim":4,"probability_draws":100001)", invalid,
            "probability_draws"},
           {R"("dim":4,"dim":4)", ErrorCode::kCorrupt, "twice"},
           {R"("dim":)", ErrorCode::kCorrupt, "JSON"}}) {
    SCOPED_TRACE(bad.fields);
    ExpectError(bad.code, {bad.part},
                [&] { ParseSettings("{" + bad.fields + "}"); });
  }
}

TEST(Changes, ChangeOnlyWhatIsGiven) {
  const Settings before = ParseSettings(
      R"({"dim":3,"reward_wait":10,"default_reward":1,"mode":"apprentice"})");
  EXPECT_EQ(ParseChanges("{}", before), before.semantics);
  Semantics expected = before.semantics;
  expected.reward_wait = 5;
  expected.aggregation = Aggregation::kSum;
  EXPECT_EQ(ParseChanges(R"({"reward_wait":5,"aggregation":"sum"})", before),
            expected);
  // Null takes the default reward away.
  expected = before.semantics;
  expected.default_reward = std::nullopt;
  EXPECT_EQ(ParseChanges(R"({"default_reward":null})", before), expected);
}

TEST(Changes, RefuseWhatCannotChange) {
  const Settings before = ParseSettings(R"({"dim":3,"rewards":"clicks"})");
  const auto refuses = [&](const char* json, const std::string& part) {
    ExpectError(ErrorCode::kInvalidArgument, {part},
                [&] { ParseChanges(json, before); });
  };
  refuses(R"({"dim":3})", "no field \"dim\"");
  refuses(R"({"seed":3})", "no field \"seed\"");
  refuses(R"({"default_reward":-1})", "default_reward");
  refuses(R"({"reward_wait":-1})", "reward_wait");
}

}  // namespace
}  // namespace manyarms::service
