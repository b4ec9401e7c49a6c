#ifndef MANYARMS_SEARCH_HNSW_H_
#define MANYARMS_SEARCH_HNSW_H_

#include <optional>
#include <unordered_map>
#include <vector>

#include "kernels/arm_set.h"
#include "search/hnsw/hnsw_graph.h"
#include "search/search.h"

namespace manyarms {

/// The paper's search: a shortlist from HNSW graphs, scored exactly.
///
/// Invariants: all graphs have the same nodes; every arm of the set has exactly
/// one node that is not dead; no lifted arm is longer than `bound_`.
class HnswSearch final : public Search {
 public:
  HnswSearch(const HnswOptions& options, Objective objective,
             const ArmStore& store, std::uint64_t seed);

  void Add(std::span<const Slot> slots) override;
  void Remove(Slot slot) override;
  void Clear() override;
  std::size_t size() const override { return arms_.size(); }
  std::optional<Hit> Best(const Query& query) override;
  std::vector<Hit> Top(const Query& query, const TopRequest& request) override;
  SearchStats stats() const override;

  /// Nodes of a graph, dead ones included.
  std::size_t nodes() const { return slot_of_node_.size(); }

 private:
  bool TooManyDead() const;
  void DropGraphs();
  void Rebuild();
  void Insert(Slot slot);
  void Lift(Slot slot);
  void LiftQuery(const Query& query);
  std::vector<Slot> Shortlist(std::size_t wanted, std::size_t effort);

  // Immutable after construction.
  const HnswOptions options_;
  const Objective objective_;
  const ArmStore& store_;
  const std::uint64_t seed_;
  const std::size_t lifted_dim_;

  ArmSet arms_;
  std::vector<HnswGraph> graphs_;  // none while the set is empty
  std::vector<Slot> slot_of_node_;
  std::unordered_map<Slot, HnswGraph::Node> node_of_slot_;
  double bound_ = 0;
  std::uint64_t builds_ = 0;
  std::uint64_t arms_scored_ = 0;  // but for the visits of graphs_

  // Scratch.
  std::vector<float> features_;
  std::vector<float> lifted_;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_HNSW_H_
