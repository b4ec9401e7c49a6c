#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "policy/kinds.h"
#include "posterior/posterior.h"
#include "shards/answer.h"
#include "shards/question.h"
#include "shards/rest_bounds.h"
#include "shards/survey_messages.h"
#include "test_cluster.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;
using testing::FirstIds;
using testing::GaussianRows;
using testing::TestCluster;

constexpr std::size_t kDim = 3;

Posterior SomeBelief() {
  Posterior posterior(kDim, 0.5);
  posterior.Update(std::vector<float>{1, -2, 0.5F}, 1.5);
  posterior.KeepInverse();
  return posterior;
}

Question SomeQuestion(Posterior& belief, Objective objective) {
  const Eigen::VectorXd direction = belief.Mean() * 1.25;
  return Question::Of(7, objective,
                      {.belief = &belief,
                       .direction = &direction,
                       .factor = &belief.Inverse(),
                       .exploration = 2.5});
}

SurveyRequest SomeRequest() {
  Posterior belief = SomeBelief();
  return {.question = SomeQuestion(belief, Objective::kOptimism),
          .mean = belief.Mean(),
          .threshold = 0.75F,
          .radius = 3,
          .spare = 0.125};
}

Answer SomeAnswer() {
  return {.question = 9,
          .eligible = 5,
          .arms = {.ids = {4, 1}, .rows = {1, 2, 3, 4, 5, 6}},
          .scores = {2, 1}};
}

ShardSurvey SomeSurvey() {
  ShardSurvey survey{.request = 3,
                     .arms = 10,
                     .pays = true,
                     .rest = {},
                     .contenders = {.ids = {8}, .rows = {1, 2, 3}}};
  survey.rest.radii = {0, 1, 2, 3, 4, 5, 6, 7};
  survey.rest.ceiling = {{1, 2, 3, 4, 5, 6, 7, 8}, 1};
  return survey;
}

Question ReadQuestion(std::string_view bytes) {
  return Question::From(bytes, Objective::kOptimism, kDim);
}
SurveyRequest ReadRequest(std::string_view bytes) {
  return SurveyRequest::From(bytes, Objective::kOptimism, kDim);
}
Answer ReadAnswer(std::string_view bytes) { return Answer::From(bytes, kDim); }
ShardSurvey ReadSurvey(std::string_view bytes) {
  return ShardSurvey::From(bytes, kDim);
}

struct Message {
  std::string name;
  std::string bytes;
  // Reads a message and writes it again.
  std::function<std::string(std::string_view)> again;
};

std::vector<Message> AllMessages() {
  Posterior belief = SomeBelief();
  return {{"question", SomeQuestion(belief, Objective::kOptimism).Bytes(),
           [](std::string_view bytes) { return ReadQuestion(bytes).Bytes(); }},
          {"request", SomeRequest().Bytes(),
           [](std::string_view bytes) { return ReadRequest(bytes).Bytes(); }},
          {"arms", SomeAnswer().arms.Bytes(),
           [](std::string_view bytes) {
             return SentArms::From(bytes, kDim).Bytes();
           }},
          {"answer", SomeAnswer().Bytes(),
           [](std::string_view bytes) { return ReadAnswer(bytes).Bytes(); }},
          {"survey", SomeSurvey().Bytes(),
           [](std::string_view bytes) { return ReadSurvey(bytes).Bytes(); }}};
}

TEST(ShardMessages, AreWhatWasWritten) {
  for (const Message& message : AllMessages()) {
    EXPECT_EQ(message.again(message.bytes), message.bytes) << message.name;
  }
}

TEST(ShardMessages, AreRefusedWhenDamaged) {
  const std::vector<Message> messages = AllMessages();
  for (const Message& message : messages) {
    SCOPED_TRACE(message.name);
    for (std::size_t size = 0; size < message.bytes.size(); ++size) {
      ExpectError(ErrorCode::kCorrupt, {},
                  [&] { message.again(message.bytes.substr(0, size)); });
      std::string damaged = message.bytes;
      damaged[size] = static_cast<char>(damaged[size] ^ 0x10);
      ExpectError(ErrorCode::kCorrupt, {}, [&] { message.again(damaged); });
    }
    ExpectError(ErrorCode::kCorrupt, {},
                [&] { message.again(message.bytes + "x"); });
    for (const Message& other : messages) {
      if (other.name == message.name) continue;
      ExpectError(ErrorCode::kCorrupt, {"does not begin like one"},
                  [&] { message.again(other.bytes); });
    }
  }
}

TEST(ShardMessages, AskWhatTheQueryAsks) {
  for (const Objective objective :
       {Objective::kInnerProduct, Objective::kOptimism,
        Objective::kQuadraticOptimism}) {
    Posterior belief = SomeBelief();
    const Eigen::VectorXd direction = belief.Mean();
    Query query{.belief = &belief,
                .direction = &direction,
                .factor = &belief.Inverse(),
                .exploration = 2};
    const Question sent = Question::From(
        Question::Of(1, objective, query).Bytes(), objective, kDim);
    EXPECT_TRUE(sent.Asks(query));
    const SentBelief there(sent);
    EXPECT_EQ(there.version(), belief.version());
    EXPECT_EQ(there.WidestWidth(), belief.WidestWidth());
    const Query asked = there.query();
    EXPECT_EQ(*asked.direction, direction);
    EXPECT_EQ(asked.exploration, 2);
    if (objective != Objective::kInnerProduct) {
      EXPECT_EQ(*asked.factor, belief.Inverse());
    }
    query.exploration = 3;
    EXPECT_FALSE(sent.Asks(query));
    query.exploration = 2;
    const Eigen::VectorXd other = direction * 1.5;
    query.direction = &other;
    EXPECT_FALSE(sent.Asks(query));
    query.direction = &direction;
    belief.Update(std::vector<float>{1, 1, 1}, 1);
    EXPECT_FALSE(sent.Asks(query));
  }
}

// With a checksum that is right.
TEST(ShardMessages, AreRefusedWhenForged) {
  Posterior belief = SomeBelief();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto refuse = [](const auto& message, const auto& read) {
    ExpectError(ErrorCode::kCorrupt, {}, [&] { read(message.Bytes()); });
  };
  Question question = SomeQuestion(belief, Objective::kOptimism);
  question.direction[1] = kNan;
  refuse(question, ReadQuestion);
  question = SomeQuestion(belief, Objective::kOptimism);
  question.exploration = kNan;
  refuse(question, ReadQuestion);
  question = SomeQuestion(belief, Objective::kOptimism);
  question.factor(1, 1) = 0;
  refuse(question, ReadQuestion);
  question.factor(1, 1) = 1e300;
  refuse(question, ReadQuestion);
  question = SomeQuestion(belief, Objective::kOptimism);
  question.factor = {};
  refuse(question, ReadQuestion);

  SurveyRequest request = SomeRequest();
  request.radius = -1;
  refuse(request, ReadRequest);
  request = SomeRequest();
  request.spare = 2;
  refuse(request, ReadRequest);
  request = SomeRequest();
  request.mean[0] = 1e30;
  refuse(request, ReadRequest);

  Answer answer = SomeAnswer();
  answer.eligible = 1;
  refuse(answer, ReadAnswer);
  answer = SomeAnswer();
  answer.arms.rows[2] = 1e9F;
  refuse(answer, ReadAnswer);

  ShardSurvey survey = SomeSurvey();
  survey.rest.radii[3] = 1;
  refuse(survey, ReadSurvey);
  survey = SomeSurvey();
  survey.rest.ceiling.height[0] = static_cast<float>(kNan);
  refuse(survey, ReadSurvey);
  survey = SomeSurvey();
  survey.arms = 0;
  refuse(survey, ReadSurvey);
}

TEST(ShardMessages, AreRefusedByArmsOfAnotherKind) {
  Posterior belief = SomeBelief();
  const std::string bytes = SomeQuestion(belief, Objective::kOptimism).Bytes();
  ExpectError(ErrorCode::kInvalidArgument, {"same options"},
              [&] { Question::From(bytes, Objective::kOptimism, kDim + 1); });
  ExpectError(ErrorCode::kInvalidArgument, {"same options"},
              [&] { Question::From(bytes, Objective::kInnerProduct, kDim); });
}

// A survey divides the arms: those that it sends are the shard's, and no other
// has a score above the ceiling, whatever is asked.
TEST(ShardSurveys, HaveCeilingsOfAllArmsThatAreNotSent) {
  constexpr std::size_t kArms = 5000;
  for (const PolicyOptions& policy :
       {PolicyOptions(ThompsonOptions{}), PolicyOptions(UcbOptions{}),
        PolicyOptions(QglocOptions{})}) {
    SCOPED_TRACE(PolicyName(policy));
    const Objective objective = ObjectiveOf(policy);
    TestCluster cluster({.dim = 4, .policy = policy, .seed = 2}, 1);
    const std::vector<float> rows = GaussianRows(kArms, 4, 5);
    cluster.Add(FirstIds(kArms), rows);
    for (int step = 0; step < 200; ++step) {
      const Decision decision = cluster.Choose();
      cluster.learner().Learn(decision, rows[decision.arm * 4]);
    }
    cluster.Survey();
    const ShardSurvey survey =
        ShardSurvey::From(cluster.last_surveys().front(), 4);
    ASSERT_TRUE(survey.pays);
    EXPECT_EQ(survey.arms, kArms);
    const std::vector<ArmId>& sent = survey.contenders.ids;
    EXPECT_GT(sent.size(), 0U);
    EXPECT_LT(sent.size(), kArms / 2);
    EXPECT_EQ(cluster.learner().stats().known_arms, sent.size());
    std::vector<bool> is_sent(kArms);
    for (std::size_t i = 0; i < sent.size(); ++i) {
      is_sent[sent[i]] = true;
      ASSERT_TRUE(std::ranges::equal(
          std::span(survey.contenders.rows).subspan(i * 4, 4),
          std::span(rows).subspan(sent[i] * 4, 4)));
    }

    SurveyRequest request =
        SurveyRequest::From(cluster.last_request(), objective, 4);
    const SentBelief belief(request.question, request.mean);
    const RowMatrix& factor = request.question.factor;
    RestBounds rest(objective, Snapshot(objective, belief, factor),
                    {survey.rest});
    RandomStream random(3, RandomStream::Role::kSample, 0);
    for (int question = 0; question < 100; ++question) {
      for (double& value : request.question.direction) {
        value += random.Gaussian();
      }
      double best = -1e30;
      for (std::size_t arm = 0; arm < kArms; ++arm) {
        if (is_sent[arm]) continue;
        const Eigen::VectorXd x =
            Eigen::Map<const Eigen::VectorXf>(&rows[arm * 4], 4).cast<double>();
        const double width = request.question.exploration * (factor * x).norm();
        double score = request.question.direction.dot(x);
        if (objective == Objective::kOptimism) score += width;
        if (objective == Objective::kQuadraticOptimism) score += width * width;
        best = std::max(best, score);
      }
      ASSERT_FALSE(rest.AreBelow(belief.query(), static_cast<float>(best)));
    }
  }
}

}  // namespace
}  // namespace manyarms
