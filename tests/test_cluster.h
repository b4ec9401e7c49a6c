#ifndef MANYARMS_TESTS_TEST_CLUSTER_H_
#define MANYARMS_TESTS_TEST_CLUSTER_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "manyarms/random.h"
#include "shards/arm_shard.h"
#include "shards/sharded_bandit.h"

namespace manyarms::testing {

/// A learner and its shards in one process, with the messages between them. A
/// shard takes its part of a survey at a moment of its own.
class TestCluster {
 public:
  TestCluster(const BanditOptions& options, std::size_t shards)
      : learner_(options) {
    for (std::size_t i = 0; i < shards; ++i) {
      shards_.push_back(std::make_unique<ArmShard>(options));
    }
  }

  ShardedBandit& learner() { return learner_; }
  void Replace(ShardedBandit learner) { learner_ = std::move(learner); }

  /// What becomes of each part of a survey on its way to the learner.
  void Forge(std::function<void(ShardSurvey&)> forge) {
    forge_ = std::move(forge);
  }
  ArmShard& shard(std::size_t i) { return *shards_[i]; }

  void Add(std::span<const ArmId> ids, std::span<const float> rows) {
    ForEachPart(ids, rows,
                [](ArmShard& shard, const auto& some,
                   const FeatureRows& features) { shard.Add(some, features); });
    learner_.Added(ids, Rows(ids.size(), rows));
  }

  void Update(std::span<const ArmId> ids, std::span<const float> rows) {
    ForEachPart(
        ids, rows,
        [](ArmShard& shard, const auto& some, const FeatureRows& features) {
          shard.Update(some, features);
        });
    learner_.Updated(ids, Rows(ids.size(), rows));
  }

  void Remove(std::span<const ArmId> ids) {
    for (const ArmId id : ids) shards_[PlaceOf(id)]->Remove(std::span(&id, 1));
    learner_.Removed(ids);
  }

  void Observe(ArmId id, double reward, Context context = {}) {
    const std::vector<ArmId> ids = {id};
    const std::vector<std::string> sent = {shards_[PlaceOf(id)]->Send(ids)};
    learner_.ObserveArms(sent, ids, {{reward}}, context);
  }

  Decision Choose(Context context = {}) {
    std::optional<Decision> decision = learner_.Choose(context);
    if (!decision) {
      Ask(1, std::nullopt);
      decision = learner_.Choose(context);
    }
    return decision.value();
  }

  std::vector<Decision> ChooseBest(std::size_t count, Context context = {}) {
    auto slate = learner_.ChooseBest(count, {}, context);
    if (!slate) {
      Ask(count, std::nullopt);
      slate = learner_.ChooseBest(count, {}, context);
    }
    return slate.value();
  }

  std::vector<Decision> ChooseBestOf(std::span<const ArmId> ids,
                                     std::size_t count, Context context = {}) {
    auto slate = learner_.ChooseBest(count, ids, context);
    if (!slate) {
      Ask(count, ids);
      slate = learner_.ChooseBest(count, ids, context);
    }
    return slate.value();
  }

  /// Among the arms of which `is_eligible` is true; the learner is told their
  /// number only.
  template <class IsEligible>
  std::vector<Decision> ChooseBestWhere(const IsEligible& is_eligible,
                                        std::size_t count,
                                        Context context = {}) {
    std::size_t eligible = 0;
    for (const auto& shard : shards_) {
      eligible += static_cast<std::size_t>(
          std::ranges::count_if(shard->Ids(), is_eligible));
    }
    const ShardedBandit::Elsewhere elsewhere{eligible};
    auto slate = learner_.ChooseBest(count, elsewhere, context);
    if (slate) return *slate;
    const std::string question = learner_.question();
    std::vector<std::string> answers;
    for (const auto& shard : shards_) {
      const std::vector<ArmId> ids = shard->Ids();
      const auto mask = std::make_unique<bool[]>(ids.size());
      std::ranges::transform(ids, mask.get(), is_eligible);
      answers.push_back(shard->Top(
          question, count, std::span<const bool>(mask.get(), ids.size())));
    }
    learner_.Answer(answers);
    return learner_.ChooseBest(count, elsewhere, context).value();
  }

  /// Lets a random shard take its part of the survey that is wanted, if there
  /// is one, and the learner adopt the whole.
  void AdvanceSurvey(RandomStream& random) {
    if (request_.empty()) {
      if (!learner_.wants_survey()) return;
      request_ = learner_.RequestSurvey();
      surveys_.assign(shards_.size(), "");
    }
    const std::size_t place = random.Below(shards_.size());
    if (surveys_[place].empty()) {
      surveys_[place] = SurveyOf(place);
    }
    if (std::ranges::any_of(surveys_, &std::string::empty)) return;
    learner_.Adopt(surveys_);
    request_.clear();
  }

  void Survey() {
    request_ = learner_.RequestSurvey();
    surveys_.clear();
    for (std::size_t place = 0; place < shards_.size(); ++place) {
      surveys_.push_back(SurveyOf(place));
    }
    learner_.Adopt(surveys_);
    last_request_ = std::exchange(request_, "");
  }

  const std::string& last_request() const { return last_request_; }
  const std::vector<std::string>& last_surveys() const { return surveys_; }

 private:
  std::string SurveyOf(std::size_t place) const {
    std::string bytes = shards_[place]->Survey(request_);
    if (!forge_) return bytes;
    ShardSurvey survey = ShardSurvey::From(bytes, learner_.options().dim);
    forge_(survey);
    return survey.Bytes();
  }

  std::size_t PlaceOf(ArmId id) const {
    return id * 0x9E3779B97F4A7C15U % shards_.size();
  }

  std::size_t dim() const { return learner_.options().dim; }
  FeatureRows Rows(std::size_t count, std::span<const float> rows) const {
    return {
        rows.data(), count, dim(), {.row = static_cast<std::ptrdiff_t>(dim())}};
  }

  template <class Use>
  void ForEachPart(std::span<const ArmId> ids, std::span<const float> rows,
                   const Use& use) {
    for (std::size_t place = 0; place < shards_.size(); ++place) {
      std::vector<ArmId> some;
      std::vector<float> features;
      for (std::size_t i = 0; i < ids.size(); ++i) {
        if (PlaceOf(ids[i]) != place) continue;
        some.push_back(ids[i]);
        const auto row = rows.subspan(i * dim(), dim());
        features.insert(features.end(), row.begin(), row.end());
      }
      use(*shards_[place], some, Rows(some.size(), features));
    }
  }

  // Asks all shards, or those that have these arms.
  void Ask(std::size_t count, std::optional<std::span<const ArmId>> ids) {
    const std::string question = learner_.question();
    std::vector<std::string> answers;
    for (std::size_t place = 0; place < shards_.size(); ++place) {
      if (!ids) {
        answers.push_back(shards_[place]->Top(question, count));
        continue;
      }
      std::vector<ArmId> some;
      std::ranges::copy_if(*ids, std::back_inserter(some),
                           [&](ArmId id) { return PlaceOf(id) == place; });
      if (some.empty()) continue;
      answers.push_back(shards_[place]->Top(question, count, some));
    }
    learner_.Answer(answers);
  }

  std::vector<std::unique_ptr<ArmShard>> shards_;
  ShardedBandit learner_;
  std::function<void(ShardSurvey&)> forge_;
  std::string request_;               // of the survey under way
  std::string last_request_;          // of Survey
  std::vector<std::string> surveys_;  // by shard
};

}  // namespace manyarms::testing

#endif  // MANYARMS_TESTS_TEST_CLUSTER_H_
