#include "search/hnsw/hnsw.h"

#include <algorithm>
#include <new>
#include <numbers>

#include "manyarms/random.h"
#include "search/hnsw/kind.h"
#include "search/lifting.h"
#include "search/scorer.h"
#include "search/top_by_scan.h"

namespace manyarms {
namespace {

// The paper scales arms to length 1 and uses a bound of sqrt 3. The same ratio
// leaves room for longer arms before graphs must be built again.
constexpr double kBoundPerNorm = std::numbers::sqrt3;

std::vector<MaskedBlock> AloneInBlocks(std::span<const Slot> slots) {
  std::vector<MaskedBlock> blocks;
  blocks.reserve(slots.size());
  for (const Slot slot : slots) {
    blocks.push_back({.block = BlockOf(slot), .lanes = 1U << LaneOf(slot)});
  }
  return blocks;
}

class HnswFinder final : public Finder {
 public:
  explicit HnswFinder(HnswIndex& index) : index_(index) {}

  std::optional<Hit> Best(const Query& query) override {
    const std::vector<Hit> top = Top(query, {.count = 1});
    if (top.empty()) return std::nullopt;
    return top.front();
  }

  // Graphs that are not there yet depend on the arms that there are when they
  // are built, so that is left to a choice.
  std::optional<Hit> BestWithoutTrace(const Query& query) override {
    const std::vector<Hit> top = index_.Top(query, {.count = 1}, stats_,
                                            HnswIndex::Graphs::kThatThereAre);
    if (top.empty()) return std::nullopt;
    return top.front();
  }

  std::vector<Hit> Top(const Query& query, const TopRequest& request) override {
    return index_.Top(query, request, stats_, HnswIndex::Graphs::kBuilt);
  }

  SearchStats stats() const override { return stats_; }
  std::size_t memory_bytes() const override { return sizeof(*this); }

 private:
  HnswIndex& index_;
  SearchStats stats_;
};

}  // namespace

HnswIndex::HnswIndex(const HnswOptions& options, const SearchTask& task,
                     const ArmStore& store, Scope scope, std::uint64_t seed,
                     std::size_t most_nodes)
    : BuiltIndex(task, store, scope),
      options_(options),
      seed_(seed),
      lifted_dim_(LiftedDim(task.objective, store.dim())),
      most_nodes_(most_nodes),
      features_(store.dim()),
      lifted_(lifted_dim_ + 1) {}

std::unique_ptr<Finder> HnswIndex::MakeFinder() {
  return std::make_unique<HnswFinder>(*this);
}

void HnswIndex::Insert(std::span<const Slot> slots) {
  const bool are_missing = graphs_.empty() && members().size() > slots.size();
  double longest = 0;
  for (const Slot slot : slots) {
    Lift(slot);
    longest = std::max(longest, Norm(std::span(lifted_).first(lifted_dim_)));
  }
  // The extra coordinate of every vector depends on the bound, so graphs are
  // built again when the bound grows. It grows by a factor of sqrt 3 at least,
  // so this happens a logarithmic number of times.
  const bool too_long = longest > bound_;
  if (too_long) bound_ = kBoundPerNorm * longest;
  if (are_missing) return;  // the next query builds them
  if (graphs_.empty() || too_long || TooManyDead()) {
    Rebuild();
  } else {
    TryOnGraphs([&] {
      for (const Slot slot : slots) InsertOne(slot);
    });
  }
}

void HnswIndex::Erase(Slot slot) {
  if (node_of_slot_.size() == 1) {  // the last arm
    EraseAll();
    return;
  }
  const auto node = node_of_slot_.find(slot);
  if (node == node_of_slot_.end()) return;  // there are no graphs
  for (HnswGraph& graph : graphs_) graph.Kill(node->second);
  node_of_slot_.erase(node);
}

void HnswIndex::EraseAll() {
  DropGraphs();
  bound_ = 0;
}

void HnswIndex::DropGraphs() {
  for (const HnswGraph& graph : graphs_) visits_of_dropped_ += graph.visits();
  graphs_.clear();
  slot_of_node_.clear();
  node_of_slot_.clear();
}

bool HnswIndex::TooManyDead() const {
  return graphs_[0].dead() * 4 >= graphs_[0].nodes();
}

// If memory runs out, the graphs may lack some of the arms and are dropped.
template <class Work>
void HnswIndex::TryOnGraphs(const Work& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    DropGraphs();
  }
}

// Whether there are graphs that can be asked; builds them if necessary. An
// attempt that fails costs a build.
bool HnswIndex::HaveGraphs() {
  if (CanBeAsked()) return true;
  if (!building_.MayTry()) return false;
  Rebuild();
  if (!graphs_.empty()) return true;
  building_.Failed();
  return false;
}

void HnswIndex::Rebuild() {
  DropGraphs();
  TryOnGraphs([this] { Build(); });
  if (!graphs_.empty()) building_.Succeeded();
}

void HnswIndex::Build() {
  using Metric = HnswOptions::Metric;
  using Nearness = HnswGraph::Nearness;
  const std::uint64_t graph_seed =
      RandomStream(seed_, RandomStream::Role::kGraph, builds_++).Bits();
  if (options_.metric != Metric::kInnerProduct) {
    graphs_.emplace_back(lifted_dim_ + 1, Nearness::kEuclidean, options_,
                         graph_seed, most_nodes_);
  }
  if (options_.metric != Metric::kEuclidean) {
    graphs_.emplace_back(lifted_dim_, Nearness::kInnerProduct, options_,
                         graph_seed, most_nodes_);
  }
  for (const MaskedBlock& masked : members().arms().blocks()) {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      if (masked.lanes >> lane & 1U) InsertOne(masked.block * kLanes + lane);
    }
  }
}

void HnswIndex::InsertOne(Slot slot) {
  Lift(slot);
  lifted_.back() =
      EuclideanCoordinate(std::span(lifted_).first(lifted_dim_), bound_);
  for (HnswGraph& graph : graphs_) {
    node_of_slot_[slot] = graph.Add(std::span(lifted_).first(graph.dim()));
  }
  slot_of_node_.push_back(slot);
}

void HnswIndex::Lift(Slot slot) {
  store().CopyFeatures(slot, features_);
  LiftArm(task().objective, features_, std::span(lifted_).first(lifted_dim_));
}

void HnswIndex::LiftQuery(const Query& query) {
  const std::span<float> lifted = std::span(lifted_).first(lifted_dim_);
  manyarms::LiftQuery(task().objective, query, lifted);
  // The query is scaled, which does not change the order of arms: if it were
  // much longer or shorter than they are, the differences between distances
  // would be lost to rounding.
  const double norm = Norm(lifted);
  if (norm > 0) {
    for (float& v : lifted) v = static_cast<float>(v * (bound_ / norm));
  }
  lifted_.back() = 0;
}

std::vector<Hit> HnswIndex::Top(const Query& query, const TopRequest& request,
                                SearchStats& stats, Graphs graphs) {
  const ArmSet& arms = members().arms();
  if (arms.size() == 0) return {};
  const Scorer scorer(task().objective, query);
  // A graph may find none of the eligible arms, however wide the beam.
  if (request.among == nullptr) {
    const auto lock = Lock();
    if (up_to_date() &&
        (graphs == Graphs::kBuilt ? HaveGraphs() : CanBeAsked())) {
      const std::uint64_t visits = Visits();
      const std::vector<Slot> candidates =
          FindCandidates(query, std::max(options_.shortlist, request.count));
      stats.arms_scored += Visits() - visits;
      if (!candidates.empty()) {
        kernels::TopHits top(request.count);
        scorer.Top(store().blocks(), AloneInBlocks(candidates), top);
        return top.Sorted();
      }
    } else {
      ++stats.scans;
    }
  }
  ScannedTop top = TopByScan(scorer, store(), arms, request);
  stats.arms_scored += top.arms;
  return std::move(top.hits);
}

// The shortlist, or none if all arms should be scored instead: the shortlist
// would be as long as the arm set, or the graphs find too few arms.
std::vector<Slot> HnswIndex::FindCandidates(const Query& query,
                                            std::size_t wanted) {
  LiftQuery(query);
  for (std::size_t effort = std::max(wanted, options_.effort);
       effort < members().size(); effort *= 2) {
    std::vector<Slot> shortlist = Shortlist(wanted, effort);
    if (!shortlist.empty()) return shortlist;
  }
  return {};
}

// The arms that the graphs find for the lifted query, or none if a graph
// returned too few because parts of it were out of reach.
std::vector<Slot> HnswIndex::Shortlist(std::size_t wanted, std::size_t effort) {
  std::vector<Slot> found;
  for (HnswGraph& graph : graphs_) {
    const auto near =
        graph.Near(std::span(lifted_).first(graph.dim()), wanted, effort);
    if (near.size() < wanted) return {};
    for (const HnswGraph::Node node : near) {
      found.push_back(slot_of_node_[node]);
    }
  }
  std::ranges::sort(found);  // both graphs may find the same arm
  // NOLINTNEXTLINE(modernize-use-ranges): clang 14 cannot compile it
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<Slot> HnswIndex::BuiltArms() const {
  std::vector<Slot> slots;
  for (HnswGraph::Node node = 0; node < nodes(); ++node) {
    if (!graphs_[0].IsDead(node)) slots.push_back(slot_of_node_[node]);
  }
  std::ranges::sort(slots);
  return slots;
}

std::uint64_t HnswIndex::Visits() const {
  std::uint64_t visits = visits_of_dropped_;
  for (const HnswGraph& graph : graphs_) visits += graph.visits();
  return visits;
}

std::unique_ptr<Index> SearchKind<HnswOptions>::Make(const HnswOptions& options,
                                                     const SearchTask& task,
                                                     const ArmStore& store,
                                                     Scope scope,
                                                     std::uint64_t seed) {
  return std::make_unique<HnswIndex>(options, task, store, scope, seed);
}

}  // namespace manyarms
