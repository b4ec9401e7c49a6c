// Decisions of version 0.5.0, of every policy with every search, recorded as
// digests in tests/data/decisions-0.5.0.txt. Whatever changes inside the
// library, the same seeds must still give the same decisions.

#include <fmt/format.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <ostream>
#include <set>
#include <sstream>
#include <string>

#include "kernels/kernels.h"
#include "manyarms/bandit.h"
#include "manyarms/random.h"
#include "paths.h"
#include "testing.h"

namespace manyarms {
namespace {

struct Recorded {
  std::string policy_name;
  PolicyOptions policy;
  std::string search_name;
  SearchOptions search;
  std::size_t dim;

  std::string name() const {
    return fmt::format("{}_{}_{}", policy_name, search_name, dim);
  }
  friend std::ostream& operator<<(std::ostream& out, const Recorded& recorded) {
    return out << recorded.name();
  }
};

std::vector<Recorded> AllRecorded() {
  using Metric = HnswOptions::Metric;
  const std::vector<std::pair<std::string, PolicyOptions>> policies = {
      {"ts", ThompsonOptions{}},
      {"ts_theory", ThompsonOptions{TheoryRadius{.horizon = 1000}}},
      {"elim", EliminationOptions{}},
      {"elim_coarse", EliminationOptions{.accuracy = 0.1}},
      {"ucb", UcbOptions{}}};
  const std::vector<std::pair<std::string, SearchOptions>> searches = {
      {"certified", CertifiedOptions{}},
      {"certified_foreground",
       CertifiedOptions{.background = false, .check_every = 10}},
      {"scan", ScanOptions{}},
      {"hnsw", HnswOptions{}},
      {"hnsw_raw",
       HnswOptions{.shortlist = 10, .metric = Metric::kInnerProduct}},
      {"hnsw_euclidean",
       HnswOptions{.shortlist = 5, .metric = Metric::kEuclidean, .links = 4}},
      {"lsh", LshOptions{}},
      {"lsh_trees", LshOptions{.success = 0.5, .min_depth = 1}},
      {"lsh_theory", LshTheoryOptions{.accuracy = 1, .copies = 2}}};
  std::vector<Recorded> all;
  for (const std::size_t dim :
       {std::size_t{3}, std::size_t{16}, std::size_t{40}}) {
    for (const auto& [policy_name, policy] : policies) {
      for (const auto& [search_name, search] : searches) {
        const bool exact = std::holds_alternative<CertifiedOptions>(search) ||
                           std::holds_alternative<ScanOptions>(search);
        // Planning filter trees over squares of 40 features takes minutes.
        const bool trees =
            search_name == "lsh_trees" || search_name == "lsh_theory";
        const bool wide = dim > 16 && policy_name.starts_with("elim");
        if (policy_name == "ucb" && !exact) continue;
        if (trees && (wide || policy_name == "ts_theory")) continue;
        all.push_back({policy_name, policy, search_name, search, dim});
      }
    }
  }
  return all;
}

// The history of one bandit, in which everything happens that can happen to
// one.
class Life {
 public:
  explicit Life(const Recorded& recorded)
      : dim_(recorded.dim),
        bandit_({.dim = dim_,
                 .policy = recorded.policy,
                 .search = recorded.search,
                 .negative_rewards = dim_ == 3,
                 .seed = 7}),
        theta_(dim_) {
    RandomStream(11, RandomStream::Role::kTheta, dim_).Gaussians(theta_);
  }

  std::uint64_t Digest(std::uint64_t steps) {
    AddArms(2000);
    for (step_ = 0; step_ < steps; ++step_) {
      Change();
      Choose();
      if (step_ == steps / 2) SaveAndLoad();
    }
    return digest_;
  }

 private:
  std::vector<float> Row(ArmId arm) const {
    std::vector<float> row(dim_);
    RandomStream(3 + versions_.at(arm), RandomStream::Role::kArm, arm)
        .Gaussians(row);
    return row;
  }

  void AddArms(std::size_t count) {
    std::vector<ArmId> ids;
    std::vector<float> rows;
    for (std::size_t i = 0; i < count; ++i) {
      ids.push_back(next_arm_++);
      versions_[ids.back()] = 0;
      const std::vector<float> row = Row(ids.back());
      rows.insert(rows.end(), row.begin(), row.end());
    }
    bandit_.Add(ids, rows);
  }

  bool Every(std::uint64_t period, std::uint64_t at) const {
    return step_ % period == at;
  }

  ArmId AnyArm(std::uint64_t index) const {
    const std::vector<ArmId> ids = bandit_.Ids();
    return ids[RandomStream(5, RandomStream::Role::kChurn, index)
                   .Below(ids.size())];
  }

  void Change() {
    if (Every(10, 9)) AddArms(3);
    if (Every(15, 14)) bandit_.Remove(AnyArm(step_));
    if (Every(50, 49) && bandit_.Contains(last_arm_)) {
      bandit_.Remove(last_arm_);
    }
    if (Every(40, 11)) {
      const ArmId arm = AnyArm(step_);
      ++versions_[arm];
      const std::vector<float> row = Row(arm);
      bandit_.Update(std::span(&arm, 1), FeatureRows(row.data(), 1, dim_, {}));
    }
  }

  void Choose() {
    if (Every(25, 7)) {
      for (const Decision& decision : bandit_.ChooseBest(5)) Take(decision);
    } else if (Every(25, 13)) {
      const std::set<ArmId> some = {AnyArm(step_), AnyArm(step_ + 1'000'000),
                                    AnyArm(step_ + 2'000'000)};
      Take(bandit_.Choose(std::vector<ArmId>(some.begin(), some.end())));
    } else if (Every(25, 19)) {
      const std::size_t arms = bandit_.size();
      const auto mask = std::make_unique<bool[]>(arms);
      for (std::size_t i = 0; i < arms; ++i) mask[i] = i % 3 != 0;
      const std::span<const bool> most(mask.get(), arms);
      for (const Decision& decision : bandit_.ChooseBest(4, most)) {
        Take(decision);
      }
    } else {
      Take(bandit_.Choose());
    }
    // Some rewards come late, in another order, or never.
    if (Every(12, 11)) {
      std::ranges::reverse(late_);
      for (const Decision& late : late_) Learn(late);
      late_.clear();
    }
  }

  void Take(const Decision& decision) {
    digest_ = (digest_ ^ decision.arm) * 0x100000001b3;
    last_arm_ = decision.arm;
    if (decision.id % 17 == 0) return;
    if (decision.id % 3 == 0) {
      late_.push_back(decision);
    } else {
      Learn(decision);
    }
  }

  void Learn(const Decision& decision) {
    const std::vector<float> row = Row(decision.arm);
    double reward =
        RandomStream(5, RandomStream::Role::kNoise, decision.id).Gaussian();
    for (std::size_t j = 0; j < dim_; ++j) reward += theta_[j] * row[j];
    bandit_.Learn(decision, reward);
  }

  void SaveAndLoad() {
    std::stringstream file;
    bandit_.Save(file);
    bandit_ = Bandit::Load(file);
  }

  std::size_t dim_;
  Bandit bandit_;
  std::vector<double> theta_;
  std::map<ArmId, std::uint64_t> versions_;
  ArmId next_arm_ = 0;
  ArmId last_arm_ = 0;
  std::vector<Decision> late_;
  std::uint64_t step_ = 0;
  std::uint64_t digest_ = 0xcbf29ce484222325;
};

// Graphs and trees are built from sums that depend on the registers' width.
struct RegisterWidth {
  int bits;
  std::string_view instructions;  // how the names of the sets begin
};
constexpr std::array<RegisterWidth, 2> kWidths = {
    {{512, "AVX3"}, {256, "AVX2"}}};

std::int64_t SupportedTargets(const RegisterWidth& width) {
  std::int64_t targets = 0;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const std::string_view name = hwy::TargetName(target);
    if (name.starts_with(width.instructions)) targets |= target;
  }
  return targets;
}

std::map<std::string, std::string> RecordedDigests() {
  std::ifstream in(testing::TestFolder() / "data" / "decisions-0.5.0.txt");
  std::map<std::string, std::string> digests;
  for (std::string key, digest; in >> key >> digest;) digests[key] = digest;
  return digests;
}

class RecordedDecisions : public ::testing::TestWithParam<Recorded> {
 protected:
  static void UseTargets(std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  void TearDown() override { UseTargets(0); }
};

TEST_P(RecordedDecisions, AreMadeAgain) {
  const std::map<std::string, std::string> recorded = RecordedDigests();
  int compared = 0;
  for (const RegisterWidth& width : kWidths) {
    UseTargets(0);
    const std::int64_t targets = SupportedTargets(width);
    if (targets == 0) continue;
    UseTargets(targets);
    const std::string key = fmt::format("{}_{}", GetParam().name(), width.bits);
    const auto found = recorded.find(key);
    const std::string digest =
        fmt::format("{:016x}", Life(GetParam()).Digest(600));
    ++compared;
    const std::string expected =
        found != recorded.end() ? found->second : "(not recorded)";
    EXPECT_EQ(digest, expected) << key;
  }
  EXPECT_GT(compared, 0) << "recorded on processors with AVX2 or AVX-512";
}

INSTANTIATE_TEST_SUITE_P(EveryPolicyAndSearch, RecordedDecisions,
                         ::testing::ValuesIn(AllRecorded()),
                         [](const auto& recorded) {
                           return recorded.param.name();
                         });

}  // namespace
}  // namespace manyarms
