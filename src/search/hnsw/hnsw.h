#ifndef MANYARMS_SEARCH_HNSW_HNSW_H_
#define MANYARMS_SEARCH_HNSW_HNSW_H_

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/backoff.h"
#include "search/built_index.h"
#include "search/hnsw/hnsw_graph.h"

namespace manyarms {

/// The search of the paper's experiments: a shortlist from HNSW graphs, scored
/// exactly. The graphs serve all finders, one at a time.
///
/// Graphs only make answers faster. If memory runs out for them, they are
/// dropped, and queries scan until graphs can be built again.
///
/// Invariants: all graphs have the same nodes; if there are graphs, every arm
/// of the index has exactly one node that is not dead; no lifted arm is longer
/// than `bound_`. (While the index is behind members(), they hold for the arms
/// that it was last told of.)
class HnswIndex final : public BuiltIndex {
 public:
  /// Tests set `most_nodes`: beyond it a graph behaves as if memory had run
  /// out.
  HnswIndex(const HnswOptions& options, const SearchTask& task,
            const ArmStore& store, Scope scope, std::uint64_t seed,
            std::size_t most_nodes = HnswGraph::kUnlimited);

  std::unique_ptr<Finder> MakeFinder() override;

  /// Which graphs are asked: if there are none, a scan may answer.
  enum class Graphs : std::uint8_t { kBuilt, kThatThereAre };

  /// Counts the work in `stats`.
  std::vector<Hit> Top(const Query& query, const TopRequest& request,
                       SearchStats& stats, Graphs graphs);

  std::vector<Slot> BuiltArms() const override;

  /// Nodes of a graph, dead ones included.
  std::size_t nodes() const { return slot_of_node_.size(); }

 private:
  void Insert(std::span<const Slot> slots) override;
  void Erase(Slot slot) override;
  void EraseAll() override;

  bool TooManyDead() const;
  void DropGraphs();
  template <class Work>
  void TryOnGraphs(const Work& work);
  void Rebuild();
  void Build();
  bool CanBeAsked() const { return !graphs_.empty() && !TooManyDead(); }
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

  // Used under Lock().
  std::vector<HnswGraph> graphs_;  // none without arms or memory
  std::vector<Slot> slot_of_node_;
  std::unordered_map<Slot, HnswGraph::Node> node_of_slot_;
  double bound_ = 0;
  std::uint64_t builds_ = 0;
  Backoff building_;  // queries that find it too early scan
  std::uint64_t visits_of_dropped_ = 0;

  // Scratch.
  std::vector<float> features_;
  std::vector<float> lifted_;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_HNSW_HNSW_H_
