#ifndef MANYARMS_SHARDS_ANSWER_H_
#define MANYARMS_SHARDS_ANSWER_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "manyarms/types.h"

namespace manyarms {

/// Arms that are sent: ids, and a row of inner features for each.
struct SentArms {
  std::vector<ArmId> ids;
  std::vector<float> rows;

  void Append(ArmId id, std::span<const float> row);
  void Append(const SentArms& more);

  void Write(ByteWriter& writer) const;
  /// Throws Error(kCorrupt) unless there is a row of features for each id.
  static SentArms Read(ByteReader& reader, std::size_t dim);

  /// The same as a message of its own.
  std::string Bytes() const;
  static SentArms From(std::string_view bytes, std::size_t dim);
};

/// A shard's best arms for a question.
struct Answer {
  std::uint64_t question = 0;  ///< the number of the question
  std::uint64_t eligible = 0;  ///< the number of arms among which these are
  SentArms arms;               ///< best first
  std::vector<float> scores;   ///< of the arms

  std::string Bytes() const;
  /// Throws Error(kCorrupt).
  static Answer From(std::string_view bytes, std::size_t dim);
};

}  // namespace manyarms

#endif  // MANYARMS_SHARDS_ANSWER_H_
