#ifndef MANYARMS_SEARCH_CERTIFIED_ORDER_H_
#define MANYARMS_SEARCH_CERTIFIED_ORDER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/large_allocator.h"
#include "catalogue/arm_store.h"
#include "kernels/arm_set.h"
#include "search/certified/ceilings.h"
#include "search/certified/snapshot.h"
#include "search/scorer.h"

namespace manyarms {

/// An arm whose upper bound is high.
struct Contender {
  float centre;
  float width;
  Slot slot;
  ArmId id;
};

/// A set of arms under one snapshot: the contenders in the order of their upper
/// bounds, and one ceiling for the rest, which are all other arms. The best arm
/// is found by walking down the order until no later arm can reach its score.
///
/// An order holds a copy of the contenders' features, in blocks in that order.
/// It takes about 4d + 24 bytes a contender.
class Order {
 public:
  /// `features` has a row for each contender. Ceilings are kept for `radii`,
  /// and contenders are ordered by their upper bounds at `radius`.
  Order(Snapshot snapshot, const kernels::Radii& radii, float radius,
        std::span<const Contender> contenders, std::span<const float> features,
        const kernels::Ceiling& rest);
  Order(const Order&) = delete;
  Order& operator=(const Order&) = delete;

  struct Walk {
    bool certain = true;       ///< no arm that was not scored is better
    std::uint64_t arms = 0;    ///< scored
    std::uint64_t blocks = 0;  ///< read, each as a whole

    void Count(std::span<const MaskedBlock> scored) {
      arms += CountArms(scored);
      blocks += scored.size();
    }
  };

  /// Walks down as far as necessary. `best` is the best of the fresh arms, and
  /// is replaced by a better one. A walk that will probably be uncertain ends
  /// early, because a scan follows it anyway.
  Walk FindBest(const Scorer& scorer, const Query& query, const ArmStore& store,
                Hit& best) const;

  /// The same for the top k. If `among` is given, arms that are not in it are
  /// passed over.
  Walk FindTop(const Scorer& scorer, const Query& query, const ArmSet* among,
               kernels::TopHits& top) const;

  /// Contenders that are removed are passed over from now on. Arms of the rest
  /// need no removal: a ceiling that is too high is still a ceiling.
  /// REQUIRES: the lanes are of a block of the store.
  void Remove(const MaskedBlock& masked);

  /// Whether an arm with these bounds may join the rest.
  bool IsBelowRest(float centre, float width) const;

  const Snapshot& snapshot() const { return snapshot_; }
  std::size_t memory_bytes() const;

  /// The memory that a contender takes.
  static std::size_t BytesPerContender(std::size_t dim);
  void Tighten(const Query& query) { snapshot_.Tighten(query); }

 private:
  // Scores blocks from the first on until no later arm can matter.
  // `reached_by(ceiling)` says whether an arm with that score would matter.
  template <class ReachedBy, class Score>
  Walk WalkDown(const Query& query, const ReachedBy& reached_by,
                const Score& score) const;
  std::vector<MaskedBlock> Among(const ArmSet& arms, std::size_t first,
                                 std::size_t length) const;

  void LayOut(std::span<const std::uint32_t> order,
              std::span<const Contender> contenders,
              std::span<const float> features);
  void RaiseCeilings(std::span<const std::uint32_t> order,
                     std::span<const Contender> contenders,
                     const kernels::Ceiling& rest);

  Snapshot snapshot_;
  kernels::Radii radii_;
  BlockTable table_;
  LargeBuffer<float> features_;
  const float* feature_chunk_ = nullptr;
  std::vector<ArmId> ids_;
  const ArmId* id_chunk_ = nullptr;
  std::vector<Slot> slots_;                 // by place in the order
  std::vector<MaskedBlock> blocks_;         // without removed contenders
  std::vector<kernels::Ceiling> ceilings_;  // from each block on; last: rest

  struct Place {
    Slot slot;
    std::uint32_t place;
  };
  std::vector<Place> places_;  // by slot
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CERTIFIED_ORDER_H_
