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
/// Invariants: all graphs have the same nodes; every arm of the index has
/// exactly one node that is not dead; no lifted arm is longer than `bound_`.
class HnswIndex final : public Index {
 public:
  HnswIndex(const HnswOptions& options, const SearchTask& task,
            const ArmStore& store, Scope scope, std::uint64_t seed);

  std::unique_ptr<Finder> MakeFinder() override;

  /// Adds the number of arms looked at to `scored`.
  std::vector<Hit> Top(const Query& query, const TopRequest& request,
                       std::uint64_t& scored);

  /// Nodes of a graph, dead ones included.
  std::size_t nodes() const { return slot_of_node_.size(); }

 private:
  void Insert(std::span<const Slot> slots) override;
  void Erase(Slot slot) override;
  void EraseAll() override;

  bool TooManyDead() const;
  void DropGraphs();
  void Rebuild();
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

  SharedMutex mutex_{ForkAware::Level::kIndex};  // guards all that follows
  std::vector<HnswGraph> graphs_;                // none while there are no arms
  std::vector<Slot> slot_of_node_;
  std::unordered_map<Slot, HnswGraph::Node> node_of_slot_;
  double bound_ = 0;
  std::uint64_t builds_ = 0;
  std::uint64_t visits_of_dropped_ = 0;

  // Scratch.
  std::vector<float> features_;
  std::vector<float> lifted_;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_HNSW_HNSW_H_
