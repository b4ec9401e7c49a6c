// What a sharded bandit knows of its arms: changes, surveys, answers, files.

#include <gtest/gtest.h>

#include <limits>

#include "shards/sharded_bandit.h"
#include "test_cluster.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;
using testing::FirstIds;
using testing::GaussianRows;
using testing::TestCluster;

constexpr std::size_t kDim = 4;
constexpr std::size_t kArms = 4000;

// A cluster beside a bandit in one process, both of which have learned enough
// for surveys.
class ShardedArms : public ::testing::Test {
 protected:
  ShardedArms()
      : rows_(GaussianRows(kArms, kDim, 3)),
        cluster_({.dim = kDim, .seed = 5}, 4),
        whole_({.dim = kDim, .seed = 5}) {
    const std::vector<ArmId> ids = FirstIds(kArms);
    cluster_.Add(ids, rows_);
    whole_.Add(ids, rows_);
    Run(100);
  }

  static double RewardOf(std::span<const float> row) {
    return row[0] - row[1] / 2;
  }

  // Decides and learns; returns whether all decisions were the same.
  bool Run(int steps) {
    bool same = true;
    for (int step = 0; step < steps; ++step) {
      const Decision one = cluster_.Choose();
      const Decision other = whole_.Choose();
      same = same && one.arm == other.arm && one.score == other.score &&
             one.eligible == other.eligible;
      const double reward = RewardOf(whole_.Features({{other.arm}}));
      cluster_.learner().Learn(one.id, reward);
      whole_.Learn(other.id, reward);
    }
    return same;
  }

  std::uint64_t sent() { return cluster_.learner().stats().sent; }
  std::uint64_t known() { return cluster_.learner().stats().known_arms; }

  void Remove(ArmId id) {
    cluster_.Remove({{id}});
    whole_.Remove(id);
  }
  void Add(ArmId id, const std::vector<float>& row) {
    cluster_.Add({{id}}, row);
    whole_.Add(id, row);
  }
  void Update(ArmId id, const std::vector<float>& row) {
    cluster_.Update({{id}}, row);
    const std::vector<ArmId> ids = {id};
    whole_.Update(ids, FeatureRows(row.data(), 1, kDim, {.row = kDim}));
  }

  const std::vector<float> rows_;
  TestCluster cluster_;
  Bandit whole_;
};

TEST_F(ShardedArms, AreMostlyUnknownAndNotAskedAboutAfterASurvey) {
  EXPECT_EQ(known(), 0U);
  EXPECT_EQ(sent(), 100U);
  cluster_.Survey();
  EXPECT_GT(known(), 0U);
  EXPECT_LT(known(), kArms / 2);
  EXPECT_TRUE(Run(300));
  EXPECT_LT(sent(), 130U);
}

// The comparison with one process would notice arms that are neither known nor
// below a ceiling.
TEST_F(ShardedArms, ThatASurveyLeavesOutAreMissed) {
  cluster_.Forge([](ShardSurvey& survey) {
    survey.contenders.ids.resize(survey.contenders.ids.size() / 8);
    survey.contenders.rows.resize(survey.contenders.ids.size() * kDim);
    survey.rest.ceiling = kernels::kNoCeiling;
  });
  cluster_.Survey();
  EXPECT_FALSE(Run(300));
}

// Ceilings above all scores cost messages, and nothing else.
TEST_F(ShardedArms, BelowHighCeilingsAreAskedAbout) {
  cluster_.Forge([](ShardSurvey& survey) {
    for (float& height : survey.rest.ceiling.height) height = 1e6F;
  });
  cluster_.Survey();
  EXPECT_TRUE(Run(100));
  EXPECT_EQ(sent(), 200U);
}

TEST_F(ShardedArms, ThatAreRemovedDoNotComeBackWithASurvey) {
  const std::string request = cluster_.learner().RequestSurvey();
  std::vector<std::string> surveys;
  surveys.reserve(4);
  for (std::size_t i = 0; i < 4; ++i) {
    surveys.push_back(cluster_.shard(i).Survey(request));
  }
  std::vector<ArmId> contenders;
  for (const std::string& survey : surveys) {
    const std::vector<ArmId> ids =
        ShardSurvey::From(survey, kDim).contenders.ids;
    contenders.insert(contenders.end(), ids.begin(), ids.end());
  }
  const ArmId removed = contenders[0];
  const ArmId added_again = contenders[1];
  const ArmId updated = contenders[2];
  Remove(removed);
  Remove(added_again);
  Add(added_again, {0, 0, 0, 0});
  Update(updated, {9, -9, 0, 0});
  ASSERT_TRUE(cluster_.learner().Adopt(surveys));
  // All but the removed arm and the one that joined the rest.
  EXPECT_EQ(known(), contenders.size() - 2);
  EXPECT_TRUE(Run(50));
  Add(removed, {9, -9, 1, 0});
  EXPECT_TRUE(Run(50));
  Remove(updated);
  EXPECT_TRUE(Run(50));
}

TEST_F(ShardedArms, AreKnownOnlyIfTheyMayBeTheBest) {
  cluster_.Survey();
  const std::uint64_t before = known();
  Add(kArms, {0, 0, 0, 0});
  EXPECT_EQ(known(), before);
  Add(kArms + 1, {9, -9, 0, 0});
  EXPECT_EQ(known(), before + 1);
  EXPECT_TRUE(Run(20));
  Update(kArms + 1, {0, 0, 0, 0});
  EXPECT_EQ(known(), before);
  Update(kArms, {9, -9, 0, 0});
  EXPECT_EQ(known(), before + 1);
  EXPECT_TRUE(Run(20));
  Remove(kArms);
  EXPECT_EQ(known(), before);
  EXPECT_TRUE(Run(20));
}

// An answer is about the arms of its moment.
TEST_F(ShardedArms, MakeQuestionsOutdatedWhenTheyChange) {
  ShardedBandit& learner = cluster_.learner();
  const auto answers = [&](const std::string& question) {
    std::vector<std::string> all;
    all.reserve(4);
    for (std::size_t i = 0; i < 4; ++i) {
      all.push_back(cluster_.shard(i).Top(question, 1));
    }
    return all;
  };
  ASSERT_FALSE(learner.Choose());
  std::vector<std::string> before = answers(learner.question());
  Add(kArms, {9, -9, 0, 0});
  ExpectError(ErrorCode::kOutdated, {"choose again"},
              [&] { learner.Answer(before); });
  ASSERT_FALSE(learner.Choose());
  ExpectError(ErrorCode::kOutdated, {"question"},
              [&] { learner.Answer(before); });
  learner.Answer(answers(learner.question()));
  Update(kArms, {9, -8, 0, 0});
  EXPECT_FALSE(learner.Choose());
  EXPECT_TRUE(Run(20));
}

TEST_F(ShardedArms, AreNeverPartOfAnAnswerOnly) {
  ShardedBandit& learner = cluster_.learner();
  ASSERT_FALSE(learner.Choose());
  std::vector<std::string> answers;
  answers.reserve(3);
  for (std::size_t i = 0; i < 3; ++i) {
    answers.push_back(cluster_.shard(i).Top(learner.question(), 1));
  }
  ExpectError(ErrorCode::kInvalidArgument, {"missing"},
              [&] { learner.Answer(answers); });
  const std::string request = learner.RequestSurvey();
  std::vector<std::string> surveys;
  surveys.reserve(4);
  for (std::size_t i = 0; i < 3; ++i) {
    surveys.push_back(cluster_.shard(i).Survey(request));
  }
  ExpectError(ErrorCode::kInvalidArgument, {"missing"},
              [&] { learner.Adopt(surveys); });
  surveys.push_back(cluster_.shard(3).Survey(request));
  EXPECT_TRUE(learner.Adopt(surveys));
  EXPECT_TRUE(Run(50));
}

TEST_F(ShardedArms, AreRefusedWithoutATrace) {
  ShardedBandit& learner = cluster_.learner();
  const std::vector<ArmId> one_id = {cluster_.shard(0).Ids().front()};
  const std::vector<std::string> sent = {cluster_.shard(0).Send(one_id)};
  ExpectError(ErrorCode::kInvalidArgument, {"2 rewards given for 1 arms"}, [&] {
    learner.ObserveArms(sent, one_id, {{1.0, 2.0}});
  });
  ExpectError(ErrorCode::kInvalidArgument, {},
              [&] { learner.ObserveArms(sent, one_id, {{1e30}}); });
  ExpectError(ErrorCode::kUnknownId, {"no shard has sent arm"},
              [&] { learner.ObserveArms({}, one_id, {{1.0}}); });
  cluster_.Survey();
  const ArmId best = cluster_.Choose().arm;
  whole_.Choose();
  const std::vector<float> row = {1, 1, 1, 1};
  const FeatureRows one(row.data(), 1, kDim, {.row = kDim});
  ExpectError(ErrorCode::kDuplicateId, {},
              [&] { learner.Added({{best}}, one); });
  ExpectError(ErrorCode::kInvalidArgument, {}, [&] {
    learner.Added({{kArms, kArms + 1}}, one);
  });
  const std::vector<float> bad(kDim, std::numeric_limits<float>::infinity());
  ExpectError(ErrorCode::kInvalidArgument, {}, [&] {
    learner.Updated({{best}}, FeatureRows(bad.data(), 1, kDim, {.row = kDim}));
  });
  ExpectError(ErrorCode::kDuplicateId, {}, [&] {
    learner.Removed({{best, best}});
  });
  std::vector<ArmId> many = FirstIds(2 * kArms);
  ExpectError(ErrorCode::kUnknownId, {"4000"}, [&] { learner.Removed(many); });
  EXPECT_EQ(learner.size(), kArms);
  EXPECT_TRUE(Run(50));
}

TEST_F(ShardedArms, MayAllGo) {
  cluster_.Survey();
  const std::vector<ArmId> ids = FirstIds(kArms);
  cluster_.Remove(ids);
  whole_.Remove(ids);
  ExpectError(ErrorCode::kNoArms, {}, [&] { cluster_.learner().Choose(); });
  Add(7, {1, 0, 0, 0});
  EXPECT_TRUE(Run(20));
}

TEST_F(ShardedArms, AreForgottenWhenShardsLoadOthers) {
  cluster_.Survey();
  EXPECT_GT(known(), 0U);
  const std::vector<float> row = {9, -9, 0, 0};
  const std::vector<ArmId> ids = {kArms};
  cluster_.shard(0).Add(ids, FeatureRows(row.data(), 1, kDim, {.row = kDim}));
  cluster_.learner().Loaded(1);
  whole_.Add(kArms, row);
  EXPECT_EQ(known(), 0U);
  EXPECT_TRUE(Run(20));
}

TEST_F(ShardedArms, AreAskedAboutAfterLoading) {
  cluster_.Survey();
  EXPECT_TRUE(Run(20));
  const std::string saved = cluster_.learner().Save();
  for (std::size_t size = 0; size < saved.size(); size += 7) {
    ExpectError(ErrorCode::kCorrupt, {}, [&] {
      ShardedBandit::Load(std::string_view(saved).substr(0, size));
    });
  }
  cluster_.Replace(ShardedBandit::Load(saved));
  EXPECT_EQ(cluster_.learner().size(), kArms);
  EXPECT_EQ(known(), 0U);
  EXPECT_FALSE(cluster_.learner().Choose());
  EXPECT_TRUE(Run(30));
  cluster_.Survey();
  EXPECT_TRUE(Run(100));
  EXPECT_LT(sent(), 50U);
}

TEST(ShardedOptions, ThatNeedAllArmsInOnePlaceAreRefused) {
  const auto refuse = [](const BanditOptions& options, const char* what) {
    ExpectError(ErrorCode::kUnsupported, {what, "shards"},
                [&] { ShardedBandit{options}; });
    ExpectError(ErrorCode::kUnsupported, {what, "shards"},
                [&] { ArmShard{options}; });
  };
  refuse({.dim = 2, .policy = EliminationOptions{}}, "elim");
  refuse({.dim = 2, .search = HnswOptions{}}, "hnsw");
  refuse({.dim = 2, .search = LshOptions{}}, "lsh");
  refuse({.dim = 2, .explore_uniform = 0.5}, "explore_uniform");
}

}  // namespace
}  // namespace manyarms
