#ifndef MANYARMS_SHARDS_ARM_SHARD_H_
#define MANYARMS_SHARDS_ARM_SHARD_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bandit/eligible_arms.h"
#include "bandit/reward_scale.h"
#include "catalogue/arm_store.h"
#include "manyarms/bandit.h"
#include "search/search.h"
#include "shards/answer.h"
#include "shards/survey_messages.h"

namespace manyarms {

/// Some of the arms of a learner that is elsewhere (ShardedBandit). It answers
/// the learner's questions exactly, and takes surveys for it.
///
/// After an Error it is as it was before the call.
/// Thread safety: none; one thread at a time.
class ArmShard {
 public:
  /// The options are the learner's. Throws what Shardable throws, and
  /// Error(kInvalidArgument) for options out of bounds.
  explicit ArmShard(const BanditOptions& options);

  /// As those of Bandit.
  void Reserve(std::size_t arms);
  void Add(std::span<const ArmId> ids, const FeatureRows& features);
  void Remove(std::span<const ArmId> ids);
  void Update(std::span<const ArmId> ids, const FeatureRows& features);
  bool Contains(ArmId id) const;
  std::vector<ArmId> Ids() const;
  std::vector<float> Features(std::span<const ArmId> ids) const;
  std::size_t size() const { return store_.size(); }
  std::size_t memory_bytes() const { return store_.memory_bytes(); }
  const BanditOptions& options() const { return options_; }

  /// Arms as SentArms, for ShardedBandit::ObserveArms. Throws
  /// Error(kUnknownId).
  std::string Send(std::span<const ArmId> ids) const;

  /// The best `count` of the eligible arms, as an Answer; fewer if fewer are
  /// eligible, even none. Throws Error(kUnknownId) or Error(kDuplicateId) for
  /// eligible ids, Error(kInvalidArgument) for a mask of another length or for
  /// a question about arms of another kind, and Error(kCorrupt).
  std::string Top(std::string_view question, std::size_t count,
                  const Eligible& eligible = {});

  /// A ShardSurvey for this SurveyRequest. Throws Error(kInvalidArgument) or
  /// Error(kCorrupt).
  std::string Survey(std::string_view request) const;

 private:
  SentArms Sent(std::span<const Slot> slots) const;
  ShardSurvey SurveyOfAll() const;
  std::optional<ShardSurvey> PlannedSurvey(const SurveyRequest& request) const;

  const BanditOptions options_;
  const RewardScale scale_;
  ArmStore store_;
  const std::unique_ptr<Index> index_;
  const std::unique_ptr<Finder> finder_;
  EligibleArms eligible_arms_;
};

}  // namespace manyarms

#endif  // MANYARMS_SHARDS_ARM_SHARD_H_
