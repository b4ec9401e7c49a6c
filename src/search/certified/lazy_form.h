#ifndef MANYARMS_SEARCH_LAZY_FORM_H_
#define MANYARMS_SEARCH_LAZY_FORM_H_

#include <optional>
#include <vector>

#include "kernels/arm_set.h"
#include "search/certified/snapshot.h"
#include "search/search.h"

namespace manyarms {

/// Certified search by quadratic form, for elim. Widths only fall, so the width
/// that an arm had when it was last scored is an upper bound from then on, and
/// only arms whose bound reaches the best score are scored again. This is the
/// lazy greedy algorithm of submodular maximisation, with blocks of 16 arms and
/// groups of blocks in place of a heap.
///
/// A second bound comes from the snapshot that the first choice takes: no arm's
/// width can be more than the norm of A A_0^-1 times its width at the snapshot.
///
/// A finder takes about 1.5 bytes an arm.
class LazyFormFinder final : public Finder {
 public:
  explicit LazyFormFinder(const Index& index) : index_(index) {}

  std::optional<Hit> Best(const Query& query) override;
  std::vector<Hit> Top(const Query& query, const TopRequest& request) override;
  SearchStats stats() const override { return stats_; }
  std::size_t memory_bytes() const override;

 private:
  // A block of the store, with upper bounds of its arms' widths.
  struct Unit {
    std::uint32_t block;
    float length;   // Euclidean, of the longest arm
    float initial;  // the largest width at the snapshot
    float last;     // the largest width when it was last computed
  };
  // The largest bounds of kGroup consecutive units, so that two comparisons are
  // enough to pass over a thousand arms.
  static constexpr std::size_t kGroup = 64;
  struct Group {
    float initial = 0;
    float last = 0;
  };

  const ArmSet& arms() const { return index_.members().arms(); }
  const ArmStore& store() const { return index_.store(); }

  Hit Scan(const Query& query);
  void CatchUp(const Belief& belief);
  void CatchUpByLog();
  void TakeSnapshot(const Query& query);
  Unit Measure(std::uint32_t block) const;
  void Append(const Unit& unit);
  void Renew(std::uint32_t block);
  Hit FindBest(const Query& query);
  template <class Bounds>
  bool Reaches(const Bounds& bounds) const;
  std::size_t ScoreBatch();

  // Immutable after construction.
  const Index& index_;

  Epoch seen_ = 0;                    // the epoch up to which bounds are known
  std::optional<Snapshot> snapshot_;  // none before the first choice
  kernels::BoundTerms terms_;         // of the snapshot
  std::vector<Unit> units_;  // by decreasing width, new ones at the end
  std::vector<Group> groups_;
  std::vector<std::uint32_t> unit_of_;  // by block; kNoUnit: none
  std::size_t dead_ = 0;                // units without arms
  bool long_walk_ = false;              // whether the last choice had one
  std::uint64_t taken_at_ = 0;          // the belief's version at the snapshot
  std::uint64_t tightened_at_ = 0;  // the belief's version at the last Tighten
  SearchStats stats_;

  // Of the query that is being answered.
  static constexpr std::size_t kBatch = 8;
  kernels::PackedFactor factor_;
  double exploration_ = 0;
  double initial_radius_ = 0;  // for widths at the snapshot
  Hit best_;
  float last_bar_ = 0;        // a better arm has a `last` of at least this
  float initial_bar_ = 0;     // and an `initial` of at least this
  std::vector<Unit*> batch_;  // to be scored together
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_LAZY_FORM_H_
