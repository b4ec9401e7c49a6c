#ifndef MANYARMS_CATALOGUE_H_
#define MANYARMS_CATALOGUE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "manyarms/features.h"
#include "manyarms/types.h"

namespace manyarms {

/// Where an arm lies among the others. The order of Ids and draws of
/// explore_uniform depend on it. An arm stays in its place until it is removed;
/// the place is then given to the next arm that is added, those that were freed
/// last first.
using ArmPlace = std::uint32_t;

/// Arms in their places, for programs that keep arms in a store of their own.
struct PlacedArms {
  std::span<const ArmId> ids;
  std::span<const ArmPlace> places;  ///< of the ids, in ascending order
  std::span<const float> features;   ///< of the ids, a row for each
  /// All other places up to the largest one, in the order in which they were
  /// freed.
  std::span<const ArmPlace> free;
};

/// The arms: the caller's ids and their feature vectors.
///
/// Costs: Add, Remove and Update take O(d) an arm, Contains O(1). K arms take
/// about K(4d + 10) bytes for features, ids and membership, and 12 to 18 bytes
/// an arm for the look-up by id.
///
/// Thread safety: one thread may change a catalogue while any number of other
/// threads read it. A reader waits for a change that is under way, and a change
/// for readers that are. A catalogue that was moved from can only be destroyed
/// or assigned to.
class Catalogue {
 public:
  /// Throws Error(kInvalidArgument) unless 1 <= dim <= kMaxDim.
  explicit Catalogue(std::size_t dim);
  ~Catalogue();
  Catalogue(Catalogue&&) noexcept;
  Catalogue& operator=(Catalogue&&) noexcept;

  /// Makes room for this number of arms in all. Adding them goes faster then.
  void Reserve(std::size_t arms);

  /// Adds arms, a row of features for each. Adds all or none: an error in any
  /// row (a duplicate id, a value that is not finite or beyond kMaxFeature)
  /// leaves the catalogue as it was.
  void Add(std::span<const ArmId> ids, const FeatureRows& features);
  void Add(ArmId id, std::span<const float> features);

  /// Removes arms, all or none. Throws Error(kUnknownId), or
  /// Error(kDuplicateId) for an id that is given twice.
  void Remove(std::span<const ArmId> ids);
  void Remove(ArmId id);

  /// Gives arms new features, all or none. Throws as Add and Remove do.
  void Update(std::span<const ArmId> ids, const FeatureRows& features);

  bool Contains(ArmId id) const;

  /// All arms, in an order that changes only when arms come or go.
  std::vector<ArmId> Ids() const;

  /// Rows of dim() values, one for each id. Throws Error(kUnknownId).
  std::vector<float> Features(std::span<const ArmId> ids) const;

  /// The places of arms. Throws Error(kUnknownId).
  std::vector<ArmPlace> Places(std::span<const ArmId> ids) const;

  std::size_t size() const;
  std::size_t dim() const;

  /// All bytes held: features, ids, membership, look-up and unused capacity.
  std::size_t memory_bytes() const;

 private:
  friend class Bandit;
  friend class Population;
  struct State;

  std::unique_ptr<State> state_;
};

}  // namespace manyarms

#endif  // MANYARMS_CATALOGUE_H_
