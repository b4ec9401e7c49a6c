#include "service/api/requests.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "service/api/thrown.h"

namespace manyarms::service {
namespace {

unsigned ChoiceStatus(std::string_view body) {
  return StatusIn([&] { ParseChoice(body); });
}
unsigned RewardStatus(std::string_view body) {
  return StatusIn([&] { ParseReward(body); });
}

TEST(Requests, HasAllFieldsOfAChoice) {
  const ChoiceRequest choice = ParseChoice(
      R"({"learner":"u","context":[1,-2.5],"count":3,"arms":["a",7],)"
      R"("event":"e1","active":false,"own_arm":"x"})");
  EXPECT_EQ(choice.learner, "u");
  EXPECT_EQ(choice.context, (std::vector<float>{1, -2.5}));
  EXPECT_EQ(choice.count, 3U);
  EXPECT_TRUE(choice.slate);
  EXPECT_EQ(choice.arms, (std::vector<ArmName>{"a", ArmId{7}}));
  EXPECT_EQ(choice.event, "e1");
  EXPECT_FALSE(choice.active);
  EXPECT_EQ(choice.own_arm, ArmName("x"));
}

TEST(Requests, TakesDefaultsForFieldsThatAreMissingOrNull) {
  for (const char* body : {"{}", " { } ", R"({"learner":null,"arms":null})"}) {
    const ChoiceRequest choice = ParseChoice(body);
    EXPECT_EQ(choice.learner, "");
    EXPECT_EQ(choice.count, 1U);
    EXPECT_FALSE(choice.slate);
    EXPECT_TRUE(choice.active);
    EXPECT_TRUE(choice.arms.empty());
  }
}

TEST(Requests, TakesANumberOfALearnerForItsDigits) {
  EXPECT_EQ(ParseChoice(R"({"learner":18446744073709551615})").learner,
            "18446744073709551615");
  EXPECT_EQ(ChoiceStatus(R"({"learner":-1})"), 422U);
  EXPECT_EQ(ChoiceStatus(R"({"learner":1.5})"), 422U);
}

TEST(Requests, RefusesWhatIsNotJsonBy400) {
  for (const std::string body : {"",
                                 " ",
                                 "{",
                                 "}",
                                 "nul",
                                 "{\"learner\":}",
                                 R"({"learner":"u",})",
                                 R"({"learner":"u"} x)",
                                 "{'learner':'u'}",
                                 "{\"context\":[NaN]}",
                                 "{\"context\":[Infinity]}",
                                 "{\"context\":[-Infinity]}",
                                 "{\"context\":[01]}",
                                 "{\"context\":[1.]}",
                                 "{\"context\":[.5]}",
                                 "{\"context\":[+1]}",
                                 "{\"context\":[0x10]}",
                                 "{\"context\":[1,]}",
                                 R"({"learner":"\x"})",
                                 R"({"learner":"\ud800"})",
                                 "{\"learner\":\"\n\"}",
                                 R"({"learner":"u","learner":"v"})",
                                 R"({"learner":null,"learner":null})",
                                 "{\"learner\":\"\xff\"}",
                                 "{\"learner\":\"\xc0\x80\"}",
                                 "\xef\xbb\xbf{}",
                                 "{/**/}",
                                 "{\"context\":[-]}",
                                 "{\"context\":[1e]}",
                                 "tru",
                                 "{\"active\":tru}"}) {
    EXPECT_EQ(ChoiceStatus(body), 400U) << body;
  }
  EXPECT_EQ(ChoiceStatus(std::string("{}\0", 3)), 400U);
}

TEST(Requests, RefusesOtherTypesBy422) {
  for (const std::string body : {"[]",
                                 "\"x\"",
                                 "5",
                                 "true",
                                 R"({"learner":[]})",
                                 R"({"learner":true})",
                                 R"({"context":{}})",
                                 R"({"context":["1"]})",
                                 R"({"context":[null]})",
                                 R"({"context":[[1]]})",
                                 R"({"count":"3"})",
                                 R"({"count":1.5})",
                                 R"({"count":-1})",
                                 R"({"count":1e2})",
                                 R"({"count":0})",
                                 R"({"count":18446744073709551616})",
                                 R"({"arms":"a"})",
                                 R"({"arms":[true]})",
                                 R"({"arms":[-1]})",
                                 R"({"arms":[]})",
                                 R"({"tags":5})",
                                 R"({"tags":""})",
                                 R"({"event":5})",
                                 R"({"active":"true"})",
                                 R"({"active":1})",
                                 R"({"own_arm":1.5})",
                                 R"({"unknown":1})",
                                 R"({"Learner":"u"})",
                                 R"({"arms":["a"],"tags":"b"})",
                                 R"({"context":[1e999]})",
                                 R"({"context":[-1e39]})"}) {
    EXPECT_EQ(ChoiceStatus(body), 422U) << body;
  }
}

TEST(Requests, NamesFieldAndValueOfWhatItRefuses) {
  const auto message = [](std::string_view body) {
    return FailureIn([&] { ParseReward(body); }).message;
  };
  EXPECT_EQ(message(R"({"decision":1,"reward":"x"})"),
            "reward is \"x\", expected a number");
  EXPECT_EQ(message(R"({"decision":1})"), "reward is missing");
  EXPECT_EQ(message(R"({"decision":1,"rewart":2})"),
            "there is no field \"rewart\"");
  EXPECT_EQ(FailureIn([] { ParseChoice(R"({"context":[0,1,"x"]})"); }).message,
            "context[2] is \"x\", expected a number");
  // Long values are cut between characters.
  std::string longest;
  for (int i = 0; i < 1000; ++i) longest += "ä";
  const std::string cut =
      message(R"({"decision":1,"reward":")" + longest + "\"}");
  EXPECT_LT(cut.size(), 260U);
  EXPECT_TRUE(cut.find("...") != std::string::npos) << cut;
}

TEST(Requests, TakesSoManyArmsByNameAndNoMore) {
  const auto body = [](std::size_t arms) {
    std::string text = "{\"arms\":[0";
    for (std::size_t i = 1; i < arms; ++i) text += ",7";
    return text + "]}";
  };
  EXPECT_EQ(ParseChoice(body(kMostArmsNamed)).arms.size(), kMostArmsNamed);
  const std::string many = body(kMostArmsNamed + 1);
  for (const Failure& failure : {FailureIn([&] { ParseChoice(many); }),
                                 FailureIn([&] { ParsePrediction(many); })}) {
    EXPECT_EQ(failure.status, 422U);
    EXPECT_TRUE(failure.message.starts_with("arms has more than 100000 "))
        << failure.message;
  }
}

TEST(Requests, RefusesDeepNesting) {
  const auto nested = [](int depth) {
    return R"({"learner":)" +
           std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']') + "}";
  };
  EXPECT_EQ(ChoiceStatus(nested(15)), 422U);
  EXPECT_EQ(ChoiceStatus(nested(17)), 400U);
  EXPECT_EQ(ChoiceStatus(nested(100'000)), 400U);
  EXPECT_EQ(ChoiceStatus(std::string(1'000'000, '[')), 400U);
  EXPECT_EQ(ChoiceStatus(R"({"unknown":)" + nested(100) + "}"), 400U);
  // Brackets in texts do not count.
  EXPECT_EQ(ChoiceStatus(R"({"count":"[[[[[[[[[[[[[[[[[[[[[[[[\"[[["})"), 422U);
}

TEST(Requests, RefusesEveryBeginningOfABody) {
  const std::string body =
      R"({"learner":"ü\u00e9","context":[1.5e0,-2],"count":3,"arms":["a"]})";
  for (std::size_t length = 0; length < body.size(); ++length) {
    EXPECT_EQ(ChoiceStatus(body.substr(0, length)), 400U) << length;
  }
  EXPECT_EQ(ChoiceStatus(body), 0U);
}

TEST(Requests, WantsTheDecisionOrTheEventOfAReward) {
  EXPECT_EQ(ParseReward(R"({"decision":17,"reward":1})").decision, 17U);
  EXPECT_EQ(ParseReward(R"({"event":"e","reward":-0.5,"id":"r"})").id, "r");
  for (const char* body :
       {R"({"reward":1})", R"({"decision":0,"reward":1})",
        R"({"decision":1,"event":"e","reward":1})",
        R"({"event":"","reward":1})", R"({"decision":1})",
        R"({"decision":1,"reward":null})", R"({"decision":-1,"reward":1})",
        R"({"decision":"1","reward":1})", R"({"decision":1,"reward":1e999})"}) {
    EXPECT_EQ(RewardStatus(body), 422U) << body;
  }
}

TEST(Requests, RefusesElementsOfABatchByThemselves) {
  const Batch<RewardRequest> batch = ParseRewards(
      R"({"rewards":[{"decision":1,"reward":1},{"decision":2,"reward":[{}]},)"
      R"(5,{"decision":3,"reward":0}]})",
      10);
  ASSERT_EQ(batch.size(), 4U);
  EXPECT_EQ(std::get<RewardRequest>(batch[0]).decision, 1U);
  EXPECT_EQ(std::get<Failure>(batch[1]).message,
            "reward is [{}], expected a number");
  EXPECT_EQ(std::get<Failure>(batch[2]).message,
            "rewards[2] is 5, expected an object");
  EXPECT_EQ(std::get<RewardRequest>(batch[3]).decision, 3U);
}

TEST(Requests, RefusesBatchesThatAreTooLongOrNotJson) {
  const auto status = [](std::string_view body) {
    return StatusIn([&] { ParseChoices(body, 2); });
  };
  EXPECT_EQ(status(R"({"choices":[{},{}]})"), 0U);
  EXPECT_EQ(status(R"({"choices":[{},{},{}]})"), 413U);
  EXPECT_EQ(status(R"({"choices":[{},{"count":}]})"), 400U);
  EXPECT_EQ(status(R"({"choices":[{"count":"x"},{"count":}]})"), 400U);
  EXPECT_EQ(status(R"({})"), 422U);
  EXPECT_EQ(status(R"({"choices":{}})"), 422U);
}

TEST(Requests, WantsOneWayToSayWhatIsPredicted) {
  const auto status = [](std::string_view body) {
    return StatusIn([&] { ParsePrediction(body); });
  };
  EXPECT_EQ(status(R"({"best":3})"), 0U);
  EXPECT_EQ(status(R"({"arms":["a"]})"), 0U);
  EXPECT_EQ(status(R"({"rows":[]})"), 0U);
  for (const char* body :
       {"{}", R"({"best":3,"arms":["a"]})", R"({"best":0})", R"({"arms":[]})",
        R"({"rows":[1]})", R"({"rows":[["x"]]})", R"({"best":"x"})"}) {
    EXPECT_EQ(status(body), 422U) << body;
  }
}

TEST(Requests, WantsAnArmOrFeaturesOfAnObservation) {
  const auto status = [](std::string_view body) {
    return StatusIn([&] { ParseObservation(body); });
  };
  EXPECT_EQ(status(R"({"arm":"a","reward":1})"), 0U);
  EXPECT_EQ(status(R"({"features":[1],"reward":1,"learner":5})"), 0U);
  EXPECT_EQ(status(R"({"arm":"a","features":[1],"reward":1})"), 422U);
  EXPECT_EQ(status(R"({"reward":1})"), 422U);
  EXPECT_EQ(status(R"({"arm":"a"})"), 422U);
}

TEST(Requests, HasTheNumberOfTheFirstWrongArm) {
  EXPECT_EQ(ParseArms(R"({"arms":[{"arm":1,"features":[1],"tags":["t"]}]})")
                .front()
                .tags,
            std::vector<std::string>{"t"});
  EXPECT_EQ(FailureIn([] {
              ParseArms(R"({"arms":[{"arm":1,"features":[1]},{"arm":2}]})");
            }).message,
            "arms[1]: features is missing");
}

TEST(Requests, TakesPlainNamesOfBackupsOnly) {
  const auto status = [](const std::string& file) {
    return StatusIn([&] { ParseBackup(R"({"file":")" + file + "\"}"); });
  };
  EXPECT_EQ(status("shop-monday.db"), 0U);
  for (const std::string& file :
       {std::string(), std::string("."), std::string(".."), std::string("../x"),
        std::string("/x"), std::string("a/b"), std::string("a\\\\b"),
        std::string(".x"), std::string("-x"), std::string("x.db-wal"),
        std::string("x.db-journal"), std::string("x\\u0000"), std::string("ä"),
        std::string(129, 'x')}) {
    EXPECT_EQ(status(file), 422U) << file;
  }
}

}  // namespace
}  // namespace manyarms::service
