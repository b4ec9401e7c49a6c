#ifndef MANYARMS_SEARCH_HNSW_HNSW_H_
#define MANYARMS_SEARCH_HNSW_HNSW_H_

#include <optional>
#include <unordered_map>
#include <vector>

#include "base/shared_mutex.h"
#include "search/hnsw/hnsw_graph.h"
#include "search/search.h"

namespace manyarms {

/// The paper's search: a shortlist from HNSW graphs, scored exactly. The graphs
/// serve all finders, one at a time.
///
/// Graphs only make answers faster. Where there is no memory for them they are
/// dropped, the arms stay, and choices scan until graphs can be built again.
///
/// Invariants: all graphs have the same nodes; if there are graphs, every arm
/// of the index has exactly one node that is not dead; no lifted arm is longer
/// than `bound_`.
class HnswIndex final : public Index {
 public:
  /// A graph has memory for `most_nodes`, which tests set.
  HnswIndex(const HnswOptions& options, const SearchTask& task,
            const ArmStore& store, Scope scope, std::uint64_t seed,
            std::size_t most_nodes = HnswGraph::kUnlimited);

  std::unique_ptr<Finder> MakeFinder() override;

  /// Counts the work in `stats`.
  std::vector<Hit> Top(const Query& query, const TopRequest& request,
                       SearchStats& stats);

  /// Nodes of a graph, dead ones included.
  std::size_t nodes() const { return slot_of_node_.size(); }

 private:
  void Insert(std::span<const Slot> slots) override;
  void Erase(Slot slot) override;
  void EraseAll() override;

  bool TooManyDead() const;
  void DropGraphs();
  void DropArms();
  template <class Work>
  void TryOnGraphs(const Work& work);
  void Rebuild();
  void Build();
  bool HaveGraphs();
  void InsertOne(Slot slot);
  void Lift(Slot slot);
  void LiftQuery(const Query& query);
  std::vector<Slot> FindCandidates(const Query& query, std::size_t wanted);
  std::vector<Slot> Shortlist(std::size_t wanted, std::size_t effort);
  std::uint64_t Visits() const;

  // Immutable after construction.
  const HnswOptions options_;
  const std::uint64_t seed_;
  const std::size_t lifted_dim_;
  const std::size_t most_nodes_;

  SharedMutex mutex_{LockLevel::kIndex};  // guards all that follows
  std::vector<HnswGraph> graphs_;         // none while there are no arms
  std::vector<Slot> slot_of_node_;
  std::unordered_map<Slot, HnswGraph::Node> node_of_slot_;
  double bound_ = 0;
  std::uint64_t builds_ = 0;
  // Questions that are left to scans before graphs are tried again, and how
  // many they will be if that fails.
  std::uint64_t scans_to_go_ = 0;
  std::uint64_t scans_next_ = 1;
  std::uint64_t visits_of_dropped_ = 0;

  // Scratch.
  std::vector<float> features_;
  std::vector<float> lifted_;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_HNSW_HNSW_H_
