#ifndef MANYARMS_SEARCH_HNSW_H_
#define MANYARMS_SEARCH_HNSW_H_

#include <optional>
#include <unordered_map>
#include <vector>

#include "kernels/arm_set.h"
#include "manyarms/search.h"
#include "search/hnsw_graph.h"

namespace manyarms {

/// The paper's search: a shortlist from HNSW graphs, scored exactly.
///
/// Graphs only make answers faster. Where there is no memory for them they are
/// dropped, the arms stay, and choices scan until graphs can be built again.
///
/// Invariants: all graphs have the same nodes; if there are graphs, every arm
/// of the set has exactly one node that is not dead; no lifted arm is longer
/// than `bound_`.
class HnswSearch final : public Search {
 public:
  /// `most_nodes` of a graph are those that there is memory for.
  HnswSearch(const HnswOptions& options, Objective objective,
             const Catalogue& catalogue, std::uint64_t seed,
             std::size_t most_nodes = HnswGraph::kUnlimited);

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
  template <class Work>
  void TryOnGraphs(const Work& work);
  void Rebuild();
  void Build();
  bool HaveGraphs();
  void Insert(Slot slot);
  void Lift(Slot slot);
  void LiftQuery(const Query& query);
  std::vector<Slot> Shortlist(std::size_t wanted, std::size_t effort);

  // Immutable after construction.
  const HnswOptions options_;
  const Objective objective_;
  const Catalogue& catalogue_;
  const std::uint64_t seed_;
  const std::size_t lifted_dim_;
  const std::size_t most_nodes_;

  ArmSet arms_;
  std::vector<HnswGraph> graphs_;  // none while the set is empty
  std::vector<Slot> slot_of_node_;
  std::unordered_map<Slot, HnswGraph::Node> node_of_slot_;
  double bound_ = 0;
  std::uint64_t builds_ = 0;
  // Questions that are left to scans before graphs are tried again, and how
  // many they will be if that fails.
  std::uint64_t scans_to_go_ = 0;
  std::uint64_t scans_next_ = 1;
  std::uint64_t scans_ = 0;
  std::uint64_t arms_scored_ = 0;  // but for the visits of graphs_

  // Scratch.
  std::vector<float> features_;
  std::vector<float> lifted_;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_HNSW_H_
