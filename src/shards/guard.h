#ifndef MANYARMS_SHARDS_GUARD_H_
#define MANYARMS_SHARDS_GUARD_H_

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "search/search.h"
#include "shards/question.h"
#include "shards/rest_bounds.h"

namespace manyarms {

/// Among which arms a choice is made.
enum class Among : std::uint8_t {
  kAll,
  kKnown,   ///< some, all of which the learner knows
  kUnknown  ///< some, not all of which it knows
};

/// What a choice needs.
struct Need {
  std::size_t count = 1;  ///< arms, no more than are eligible
  Among among = Among::kAll;
  std::size_t eligible = 0;  ///< the number of eligible arms
  std::vector<ArmId> ids;    ///< the eligible arms, if they are named

  bool operator==(const Need&) const = default;
};

/// Thrown through finder and policy by a choice that only the shards can make.
/// Guard::asked has the question.
struct MustAsk {};

/// Stands between a learner's policy and its search over the arms that it
/// knows: lets an answer pass only if no other arm can be better.
class Guard {
 public:
  /// The bounds of all arms that are not known; none if nothing is known of
  /// them.
  void SetRest(std::optional<RestBounds> rest) { rest_ = std::move(rest); }
  const RestBounds* rest() const { return rest_ ? &*rest_ : nullptr; }

  /// To be called before each choice.
  void Expect(Need need, std::size_t unknown_arms) {
    need_ = std::move(need);
    unknown_arms_ = unknown_arms;
    was_sent_ = false;
  }

  Among among() const { return need_.among; }

  /// Lets the best known arms pass, best first, or throws MustAsk.
  void Check(Objective objective, const Query& query,
             std::span<const Hit> hits);

  /// The last question, with what it needs; none before the first, or if arms
  /// have changed since.
  struct Asked {
    Question question;
    Need need;
  };
  const std::optional<Asked>& asked() const { return asked_; }

  void DropQuestion() { asked_.reset(); }

  /// The question has been answered: its best arms are known from now until
  /// DropAnswer. REQUIRES: there is one.
  void Answered() { answered_ = std::exchange(asked_, std::nullopt); }
  bool has_answer() const { return answered_.has_value(); }
  void DropAnswer() { answered_.reset(); }

  /// Whether the last choice that passed needed the answer of the shards.
  bool was_sent() const { return was_sent_; }

  /// An answer to a question over all arms, from which surveys are planned.
  struct Occasion {
    Question question;
    float threshold = 0;  ///< the score of the last arm that was needed
  };
  const std::optional<Occasion>& occasion() const { return occasion_; }

 private:
  std::optional<RestBounds> rest_;
  Need need_;
  std::size_t unknown_arms_ = 0;
  std::optional<Asked> asked_;
  std::optional<Asked> answered_;
  std::optional<Occasion> occasion_;
  bool was_sent_ = false;
  std::uint64_t questions_ = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_SHARDS_GUARD_H_
