#include "shards/sharded_bandit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <ostream>

#include "test_cluster.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;
using testing::FirstIds;
using testing::GaussianRows;
using testing::TestCluster;
using Role = RandomStream::Role;

void ExpectSame(const Decision& sharded, const Decision& whole) {
  ASSERT_EQ(sharded.id, whole.id);
  ASSERT_EQ(sharded.arm, whole.arm);
  ASSERT_EQ(sharded.score, whole.score);
  ASSERT_EQ(sharded.eligible, whole.eligible);
  ASSERT_EQ(sharded.uniform, whole.uniform);
}

void ExpectSame(const std::vector<Decision>& sharded,
                const std::vector<Decision>& whole) {
  ASSERT_EQ(sharded.size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    ExpectSame(sharded[i], whole[i]);
  }
}

struct World {
  std::string name;
  BanditOptions options;
  std::size_t arms = 2000;
  std::size_t steps = 1500;
  /// Of choices among all arms, at least this part needs no message.
  double least_unsent = 0;
  double changes = 0.2;  ///< probability that arms change in a step
};

void PrintTo(const World& world, std::ostream* out) { *out << world.name; }

// A sharded bandit beside a bandit in one process, driven through whatever can
// happen to them.
class SideBySide {
 public:
  explicit SideBySide(const World& world)
      : world_(world),
        random_(world.options.seed, Role::kChurn, world.arms),
        cluster_(world.options, 4),
        whole_(world.options),
        theta_(GaussianRows(1, world.options.dim, 99)) {
    AddArms(world.arms);
  }

  void Run() {
    for (std::size_t step = 0; step < world_.steps; ++step) {
      ASSERT_NO_FATAL_FAILURE(Choose());
      if (random_.Uniform() < world_.changes) ChangeArms();
      if (random_.Below(4) == 0) cluster_.AdvanceSurvey(random_);
      if (world_.options.forgetting < 1 && random_.Below(200) == 0) Forget();
    }
    const ShardedStats stats = cluster_.learner().stats();
    EXPECT_GT(stats.sent, 0U);
    EXPECT_EQ(cluster_.learner().Mean(), whole_.Mean());
    const double unsent =
        1 - static_cast<double>(sent_of_all_) / static_cast<double>(of_all_);
    EXPECT_GE(unsent, world_.least_unsent);
    EXPECT_GE(stats.surveys, world_.least_unsent > 0 ? 1U : 0U);
    ::testing::Test::RecordProperty("unsent", std::to_string(unsent));
    ::testing::Test::RecordProperty("surveys", std::to_string(stats.surveys));
  }

 private:
  float Reward(ArmId arm) {
    const std::vector<float>& row = features_.at(arm);
    double mean = 0;
    for (std::size_t j = 0; j < row.size(); ++j) mean += row[j] * theta_[j];
    if (world_.options.rewards == RewardModel::kClicks) {
      return random_.Uniform() < 1 / (1 + std::exp(-mean)) ? 1.0F : 0.0F;
    }
    return static_cast<float>(mean + random_.Gaussian());
  }

  std::vector<float> NextContext() {
    std::vector<float> context(world_.options.context_dim);
    for (float& value : context) value = static_cast<float>(random_.Below(3));
    return context;
  }

  // One row for each id, some of them equal or zero.
  std::vector<float> NewRows(const std::vector<ArmId>& ids) {
    const std::size_t dim = world_.options.dim;
    std::vector<float> rows = GaussianRows(ids.size(), dim, random_.Bits());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto row = std::span(rows).subspan(i * dim, dim);
      if (random_.Below(30) == 0) std::ranges::fill(row, 0.0F);
      if (random_.Below(30) == 0 && !features_.empty()) {
        std::ranges::copy(features_.begin()->second, row.begin());
      }
      features_[ids[i]].assign(row.begin(), row.end());
    }
    return rows;
  }

  FeatureRows AsRows(const std::vector<float>& rows, std::size_t count) const {
    const std::size_t dim = world_.options.dim;
    return {rows.data(), count, dim, {.row = static_cast<std::ptrdiff_t>(dim)}};
  }

  void AddArms(std::size_t count) {
    std::vector<ArmId> ids;
    // Ids of removed arms come again with other features.
    while (ids.size() < count) {
      const ArmId id = random_.Below(3 * world_.arms);
      if (features_.contains(id)) continue;
      features_[id];
      ids.push_back(id);
    }
    const std::vector<float> rows = NewRows(ids);
    cluster_.Add(ids, rows);
    whole_.Add(ids, AsRows(rows, ids.size()));
  }

  std::vector<ArmId> SomeArms(std::size_t count) {
    std::vector<ArmId> ids;
    for (std::size_t i = 0; i < count; ++i) {
      auto at = features_.lower_bound(random_.Below(3 * world_.arms));
      if (at == features_.end()) at = features_.begin();
      if (std::ranges::find(ids, at->first) == ids.end()) {
        ids.push_back(at->first);
      }
    }
    return ids;
  }

  // Mostly those that choices care for.
  std::vector<ArmId> ArmsToChange() {
    std::vector<ArmId> ids = SomeArms(1 + random_.Below(5));
    if (last_ && random_.Below(2) == 0 && features_.contains(*last_) &&
        std::ranges::find(ids, *last_) == ids.end()) {
      ids.push_back(*last_);
    }
    return ids;
  }

  void ChangeArms() {
    switch (random_.Below(3)) {
      case 0:
        AddArms(1 + random_.Below(5));
        break;
      case 1: {
        if (features_.size() < world_.arms / 2) return;
        const std::vector<ArmId> ids = ArmsToChange();
        for (const ArmId id : ids) features_.erase(id);
        cluster_.Remove(ids);
        whole_.Remove(ids);
        break;
      }
      default: {
        const std::vector<ArmId> ids = ArmsToChange();
        const std::vector<float> rows = NewRows(ids);
        cluster_.Update(ids, rows);
        whole_.Update(ids, AsRows(rows, ids.size()));
      }
    }
  }

  void Forget() {
    cluster_.learner().Forget(0.5);
    whole_.Forget(0.5);
  }

  void Choose() {
    const std::vector<float> context = NextContext();
    const std::uint64_t sent = cluster_.learner().stats().sent;
    switch (random_.Below(12)) {
      case 0: {
        const std::size_t count = 1 + random_.Below(8);
        const auto slate = cluster_.ChooseBest(count, context);
        ASSERT_NO_FATAL_FAILURE(
            ExpectSame(slate, whole_.ChooseBest(count, {}, context)));
        return LearnAll(slate, context);
      }
      case 1: {
        const std::size_t count = 1 + random_.Below(4);
        const std::vector<ArmId> ids = SomeArms(1 + random_.Below(300));
        const auto slate = cluster_.ChooseBestOf(ids, count, context);
        ASSERT_NO_FATAL_FAILURE(
            ExpectSame(slate, whole_.ChooseBest(count, ids, context)));
        return LearnAll(slate, context);
      }
      case 2: {
        const ArmId modulus = 1 + random_.Below(50);
        const auto eligible = [modulus](ArmId id) { return id % modulus == 0; };
        const std::vector<ArmId> ids = whole_.Ids();
        if (std::ranges::none_of(ids, eligible)) return;
        const auto mask = std::make_unique<bool[]>(ids.size());
        std::ranges::transform(ids, mask.get(), eligible);
        const auto slate = cluster_.ChooseBestWhere(eligible, 2, context);
        ASSERT_NO_FATAL_FAILURE(ExpectSame(
            slate,
            whole_.ChooseBest(2, std::span<const bool>(mask.get(), ids.size()),
                              context)));
        return LearnAll(slate, context);
      }
      case 3: {  // arms that are known, mostly
        if (!last_ || !features_.contains(*last_)) return;
        const std::vector<ArmId> ids = {*last_};
        const auto slate = cluster_.ChooseBestOf(ids, 1, context);
        const Decision one = whole_.Choose(ids, context);
        ASSERT_NO_FATAL_FAILURE(ExpectSame(slate, {one}));
        return LearnAll(slate, context);
      }
      default: {
        const Decision decision = cluster_.Choose(context);
        ASSERT_NO_FATAL_FAILURE(
            ExpectSame(decision, whole_.Choose({}, context)));
        ++of_all_;
        sent_of_all_ += cluster_.learner().stats().sent - sent;
        last_ = decision.arm;
        LearnAll({decision}, context);
      }
    }
  }

  void LearnAll(const std::vector<Decision>& decisions,
                const std::vector<float>& context) {
    for (const Decision& decision : decisions) {
      const float reward = Reward(decision.arm);
      switch (random_.Below(8)) {
        case 0:
          cluster_.learner().Dismiss(decision.id);
          whole_.Dismiss(decision.id);
          break;
        case 1:  // and no reward
          break;
        case 2: {
          const std::vector<float>& row = features_.at(decision.arm);
          cluster_.learner().Observe(row, reward, context);
          whole_.Observe(row, reward, context);
          cluster_.Observe(decision.arm, reward, context);
          whole_.Observe(decision.arm, reward, context);
          [[fallthrough]];
        }
        default:
          cluster_.learner().Learn(decision, reward);
          whole_.Learn(decision, reward);
      }
    }
  }

  const World world_;
  RandomStream random_;
  TestCluster cluster_;
  Bandit whole_;
  const std::vector<float> theta_;
  std::map<ArmId, std::vector<float>> features_;
  std::optional<ArmId> last_;
  std::uint64_t of_all_ = 0;
  std::uint64_t sent_of_all_ = 0;
};

BanditOptions With(const PolicyOptions& policy, std::size_t dim,
                   const SearchOptions& search = CertifiedOptions{}) {
  return {.dim = dim, .policy = policy, .search = search, .seed = 7};
}

std::vector<World> Worlds() {
  std::vector<World> worlds = {
      {.name = "Ts",
       .options = With(ThompsonOptions{}, 8),
       .least_unsent = 0.5},
      {.name = "Ucb", .options = With(UcbOptions{}, 8), .least_unsent = 0.5},
      {.name = "GlocTs", .options = With(GlocTsOptions{}, 8)},
      {.name = "Qgloc", .options = With(QglocOptions{}, 6)},
      {.name = "TsByScan",
       .options = With(ThompsonOptions{}, 5, ScanOptions{}),
       .least_unsent = 0.5},
      {.name = "TsWithManyArms",
       .options = With(ThompsonOptions{}, 8),
       .arms = 40000,
       .steps = 1000,
       .least_unsent = 0.5},
      {.name = "UcbWithFewArms",
       .options = With(UcbOptions{}, 3),
       .arms = 30,
       .changes = 0.5},
  };
  World negative{.name = "NegativeRewards",
                 .options = With(ThompsonOptions{}, 6),
                 .least_unsent = 0.3};
  negative.options.negative_rewards = true;
  worlds.push_back(negative);
  World clicks{.name = "Clicks", .options = With(ThompsonOptions{}, 6)};
  clicks.options.rewards = RewardModel::kClicks;
  worlds.push_back(clicks);
  World forgetting{.name = "Forgetting", .options = With(UcbOptions{}, 6)};
  forgetting.options.forgetting = 0.999;
  worlds.push_back(forgetting);
  for (const PolicyOptions& policy :
       {PolicyOptions(ThompsonOptions{}), PolicyOptions(UcbOptions{})}) {
    World contexts{
        .name = policy.index() == 0 ? "TsInContexts" : "OtherInContexts",
        .options = With(policy, 4),
        .steps = 500};
    contexts.options.context_dim = 2;
    worlds.push_back(contexts);
  }
  return worlds;
}

class ShardedWorlds : public ::testing::TestWithParam<World> {};

TEST_P(ShardedWorlds, DecideAsOneProcess) { SideBySide(GetParam()).Run(); }

INSTANTIATE_TEST_SUITE_P(All, ShardedWorlds, ::testing::ValuesIn(Worlds()),
                         [](const auto& world) { return world.param.name; });

TEST(ShardedBandit, TellsTheUncertaintyThatOneProcessTells) {
  for (const bool negative : {false, true}) {
    const BanditOptions options{.dim = 3, .negative_rewards = negative};
    TestCluster cluster(options, 2);
    Bandit whole(options);
    const std::vector<float> rows = GaussianRows(20, 3, 1);
    const FeatureRows features(rows.data(), 20, 3, {.row = 3});
    const std::vector<ArmId> ids = FirstIds(20);
    cluster.Add(ids, rows);
    whole.Add(ids, rows);
    for (int step = 0; step < 10; ++step) {
      cluster.learner().Learn(cluster.Choose(), 0.5);
      whole.Learn(whole.Choose(), 0.5);
    }
    EXPECT_EQ(cluster.learner().Uncertainty(features), whole.Uncertainty(ids));
    ExpectError(ErrorCode::kInvalidArgument, {"context"},
                [&] { (void)cluster.learner().Uncertainty(features, rows); });
  }
}

}  // namespace
}  // namespace manyarms
