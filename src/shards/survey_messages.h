#ifndef MANYARMS_SHARDS_SURVEY_MESSAGES_H_
#define MANYARMS_SHARDS_SURVEY_MESSAGES_H_

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/bounds.h"
#include "shards/answer.h"
#include "shards/question.h"

namespace manyarms {

/// Radii beyond this could make bounds infinite in float.
inline constexpr double kMostRadius = 1e15;

/// What a learner asks of a survey of a shard's arms. The snapshot is the
/// learner's belief of now.
struct SurveyRequest {
  /// With the belief's factor, whatever the objective, and with the direction
  /// of a choice that was sent.
  Question question;
  Eigen::VectorXd mean;
  float threshold = 0;  ///< the score that the answer to that choice had
  double radius = 0;    ///< the least to be expected
  double spare = 0;     ///< part of the arms to send beyond those needed

  std::string Bytes() const;
  /// Throws as Question::Read does.
  static SurveyRequest From(std::string_view bytes, Objective objective,
                            std::size_t dim);
};

/// A ceiling with the radii of its heights.
struct PlacedCeiling {
  kernels::Radii radii{};
  kernels::Ceiling ceiling = kernels::kNoCeiling;
};

/// What a survey of a shard has found.
struct ShardSurvey {
  std::uint64_t request = 0;  ///< the number of the request's question
  std::uint64_t arms = 0;     ///< that the shard has
  bool pays = false;          ///< otherwise the following is empty
  PlacedCeiling rest;         ///< over all arms that are not sent
  SentArms contenders;

  std::string Bytes() const;
  /// Throws Error(kCorrupt).
  static ShardSurvey From(std::string_view bytes, std::size_t dim);
};

}  // namespace manyarms

#endif  // MANYARMS_SHARDS_SURVEY_MESSAGES_H_
