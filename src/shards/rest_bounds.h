#ifndef MANYARMS_SHARDS_REST_BOUNDS_H_
#define MANYARMS_SHARDS_REST_BOUNDS_H_

#include <span>
#include <utility>
#include <vector>

#include "search/certified/snapshot.h"
#include "shards/survey_messages.h"

namespace manyarms {

/// Bounds of the scores of all arms that a learner does not know: each is below
/// one of these ceilings, which are those of its shards under one snapshot of
/// the learner's belief.
class RestBounds {
 public:
  RestBounds(Objective objective, Snapshot snapshot,
             std::vector<PlacedCeiling> ceilings)
      : objective_(objective),
        snapshot_(std::move(snapshot)),
        ceilings_(std::move(ceilings)) {}

  /// Whether the scores of all these arms are below this one. REQUIRES: what
  /// Snapshot::Radius requires, and a well-conditioned factor, if there is one.
  bool AreBelow(const Query& query, float score);

  /// Which of these arms may join them: true for those that lie below one of
  /// the ceilings at all radii. `rows` has their inner features.
  std::vector<bool> MayJoin(std::span<const float> rows) const;

  double Radius(const Query& query) const { return snapshot_.Radius(query); }

 private:
  bool AreSurelyBelow(const Query& query, float score) const;

  Objective objective_;
  Snapshot snapshot_;
  std::vector<PlacedCeiling> ceilings_;
};

}  // namespace manyarms

#endif  // MANYARMS_SHARDS_REST_BOUNDS_H_
