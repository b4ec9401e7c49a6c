#ifndef MANYARMS_SERVICE_ENGINE_SERVED_ARMS_H_
#define MANYARMS_SERVICE_ENGINE_SERVED_ARMS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "manyarms/population.h"
#include "service/engine/arm_info.h"
#include "service/engine/limits.h"
#include "service/store/changes.h"

namespace manyarms::service {

/// The arms of a served bandit: what clients call them, their tags, and the
/// same arms in the population.
///
/// Thread safety: any number of threads may call const methods while no thread
/// calls another one. After an error nothing has changed.
class ServedArms {
 public:
  ServedArms(BanditNumber bandit, bool named, const Limits& limits,
             Population& population);
  ~ServedArms();
  ServedArms(const ServedArms&) = delete;
  ServedArms& operator=(const ServedArms&) = delete;

  /// Takes the arms that the store has; `read` calls its argument with each
  /// row, as Store::ReadArms does, and all are in the first `count` places.
  /// REQUIRES: there never was an arm.
  using Use = std::function<void(ArmRow&&)>;
  void Restore(std::uint64_t count,
               const std::function<void(const Use&)>& read);

  /// Throws what PutArms would throw for this arm by itself.
  static void Check(const ArmInfo& arm, bool named, std::size_t dim,
                    const Limits& limits);

  /// Adds arms or gives them new features and tags, all or none, and returns
  /// what the store is to write. Throws Refused or Error, which names the arm.
  struct Put {
    ArmsPut change = {};
    std::uint64_t added = 0;
    std::uint64_t changed = 0;
  };
  Put PutArms(std::vector<ArmInfo> arms, bool only_new);

  /// All or none. Throws Error(kUnknownId), Error(kDuplicateId).
  ArmsRemoved RemoveArms(std::span<const ArmName> arms);

  std::size_t size() const;
  bool Contains(const ArmName& arm) const;

  /// Throws Error(kUnknownId), and Error(kInvalidArgument) for a number in
  /// place of a name or the reverse.
  ArmId IdOf(const ArmName& arm) const;
  std::vector<ArmId> IdsOf(std::span<const ArmName> arms) const;
  /// Likewise, and Error(kDuplicateId) for an arm that is given twice.
  std::vector<ArmId> DistinctIdsOf(std::span<const ArmName> arms) const;
  /// The name of an arm that exists; empty for arms with numbers.
  const std::string& TextOf(ArmId arm) const;
  ArmName NameOf(ArmId arm) const;

  ArmInfo Find(const ArmName& arm) const;
  /// Up to `most` arms in places from `from` on, and the place to go on from.
  std::pair<std::vector<ArmInfo>, std::optional<std::uint64_t>> List(
      std::uint64_t from, std::size_t most) const;
  /// The ids of the arms in `count` places from `from` on.
  std::vector<ArmId> IdsBetween(std::uint64_t from, std::size_t count) const;
  /// One more than the largest place that ever had an arm.
  std::uint64_t places() const;
  /// All tags, in alphabetical order, with the number of their arms.
  std::vector<std::pair<std::string, std::uint64_t>> Tags() const;

  /// The places of arms for which a tag expression holds, for
  /// Eligible(EligiblePlaces). Remembered for the latest expressions until arms
  /// or tags change; the result stays valid without this object. Throws
  /// Error(kInvalidArgument) for an expression that cannot be read.
  std::shared_ptr<const std::vector<std::uint16_t>> PlacesOf(
      const std::string& expression) const;

  /// Whether an arm is in one of these places. Throws as IdOf does.
  bool IsIn(std::span<const std::uint16_t> lanes, const ArmName& arm) const;

  /// A digest of arms, tags and places, and of the places and ids that further
  /// arms will get: for tests.
  std::uint64_t Digest() const;

 private:
  class State;
  struct Plan;
  std::unique_ptr<State> state_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_SERVED_ARMS_H_
