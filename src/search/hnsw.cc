#include "search/hnsw.h"

#include <algorithm>
#include <new>
#include <numbers>

#include "manyarms/random.h"
#include "search/lifting.h"
#include "search/scorer.h"
#include "search/top_by_scan.h"

namespace manyarms {
namespace {

// The paper scales arms to length 1 and works under a bound of sqrt 3. Keeping
// its ratio leaves room for longer arms to come without a new graph.
constexpr double kBoundPerNorm = std::numbers::sqrt3;

std::vector<MaskedBlock> AloneInBlocks(std::span<const Slot> slots) {
  std::vector<MaskedBlock> blocks;
  blocks.reserve(slots.size());
  for (const Slot slot : slots) {
    blocks.push_back({.block = BlockOf(slot), .lanes = 1U << LaneOf(slot)});
  }
  return blocks;
}

}  // namespace

HnswSearch::HnswSearch(const HnswOptions& options, Objective objective,
                       const Catalogue& catalogue, std::uint64_t seed,
                       std::size_t most_nodes)
    : options_(options),
      objective_(objective),
      catalogue_(catalogue),
      seed_(seed),
      lifted_dim_(LiftedDim(objective, catalogue.dim())),
      most_nodes_(most_nodes),
      features_(catalogue.dim()),
      lifted_(lifted_dim_ + 1) {}

void HnswSearch::Add(std::span<const Slot> slots) {
  const bool are_missing = graphs_.empty() && arms_.size() > 0;
  double longest = 0;
  for (const Slot slot : slots) {
    arms_.Add(slot);
    Lift(slot);
    longest = std::max(longest, Norm(std::span(lifted_).first(lifted_dim_)));
  }
  // The extra coordinate of every vector depends on the bound. It grows by a
  // factor at least, so this happens a logarithmic number of times.
  const bool too_long = longest > bound_;
  if (too_long) bound_ = kBoundPerNorm * longest;
  if (are_missing) return;  // left to the next question
  if (graphs_.empty() || too_long || TooManyDead()) {
    Rebuild();
  } else {
    TryOnGraphs([&] {
      for (const Slot slot : slots) Insert(slot);
    });
  }
}

void HnswSearch::Remove(Slot slot) {
  arms_.Remove(slot);
  if (arms_.size() == 0) {
    Clear();
    return;
  }
  const auto node = node_of_slot_.find(slot);
  if (node == node_of_slot_.end()) return;  // there are no graphs
  for (HnswGraph& graph : graphs_) graph.Kill(node->second);
  node_of_slot_.erase(node);
}

void HnswSearch::Clear() {
  DropGraphs();
  arms_.Clear();
  bound_ = 0;
}

void HnswSearch::DropGraphs() {
  for (const HnswGraph& graph : graphs_) arms_scored_ += graph.visits();
  graphs_.clear();
  slot_of_node_.clear();
  node_of_slot_.clear();
}

bool HnswSearch::TooManyDead() const {
  return graphs_[0].dead() * 4 >= graphs_[0].nodes();
}

// Graphs to which some arms have been added, but not all, are of no use.
template <class Work>
void HnswSearch::TryOnGraphs(const Work& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    DropGraphs();
  }
}

// Whether there are graphs that can be asked. To try again at each question
// would cost a build each time, so that more and more scans come between.
bool HnswSearch::HaveGraphs() {
  if (!graphs_.empty() && !TooManyDead()) return true;
  if (scans_to_go_ > 0) {
    --scans_to_go_;
    return false;
  }
  Rebuild();
  if (!graphs_.empty()) return true;
  scans_to_go_ = scans_next_;
  scans_next_ *= 2;
  return false;
}

void HnswSearch::Rebuild() {
  DropGraphs();
  TryOnGraphs([this] { Build(); });
  if (graphs_.empty()) return;
  scans_to_go_ = 0;
  scans_next_ = 1;
}

void HnswSearch::Build() {
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
  for (const MaskedBlock& masked : arms_.blocks()) {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      if (masked.lanes >> lane & 1U) Insert(masked.block * kLanes + lane);
    }
  }
}

void HnswSearch::Insert(Slot slot) {
  Lift(slot);
  lifted_.back() =
      EuclideanCoordinate(std::span(lifted_).first(lifted_dim_), bound_);
  for (HnswGraph& graph : graphs_) {
    node_of_slot_[slot] = graph.Add(std::span(lifted_).first(graph.dim()));
  }
  slot_of_node_.push_back(slot);
}

void HnswSearch::Lift(Slot slot) {
  catalogue_.CopyFeatures(slot, features_);
  LiftArm(objective_, features_, std::span(lifted_).first(lifted_dim_));
}

void HnswSearch::LiftQuery(const Query& query) {
  const std::span<float> lifted = std::span(lifted_).first(lifted_dim_);
  manyarms::LiftQuery(objective_, query, lifted);
  // A query much longer or shorter than the arms would leave the differences
  // between their distances to rounding. Its length does not change the order.
  const double norm = Norm(lifted);
  if (norm > 0) {
    for (float& v : lifted) v = static_cast<float>(v * (bound_ / norm));
  }
  lifted_.back() = 0;
}

std::optional<Hit> HnswSearch::Best(const Query& query) {
  const std::vector<Hit> top = Top(query, {.count = 1});
  if (top.empty()) return std::nullopt;
  return top.front();
}

std::vector<Hit> HnswSearch::Top(const Query& query,
                                 const TopRequest& request) {
  if (arms_.size() == 0) return {};
  const Scorer scorer(objective_, query);
  // Of a part of the arms a graph may find none, however long it looks.
  if (request.among == nullptr && HaveGraphs()) {
    LiftQuery(query);
    const std::size_t wanted = std::max(options_.shortlist, request.count);
    for (std::size_t effort = std::max(wanted, options_.effort);
         effort < arms_.size(); effort *= 2) {
      const std::vector<Slot> shortlist = Shortlist(wanted, effort);
      if (shortlist.empty()) continue;
      kernels::TopHits top(request.count);
      scorer.Top(catalogue_.blocks(), AloneInBlocks(shortlist), top);
      return top.Sorted();
    }
    // A shortlist as long as the set is the set.
  } else if (request.among == nullptr) {
    ++scans_;
  }
  ScannedTop top = TopByScan(scorer, catalogue_, arms_, request);
  arms_scored_ += top.arms;
  return std::move(top.hits);
}

// The arms that the graphs find for the lifted query, or none if a graph came
// back with too few: part of it was out of reach.
std::vector<Slot> HnswSearch::Shortlist(std::size_t wanted,
                                        std::size_t effort) {
  std::vector<Slot> found;
  for (HnswGraph& graph : graphs_) {
    const auto near =
        graph.Near(std::span(lifted_).first(graph.dim()), wanted, effort);
    if (near.size() < wanted) return {};
    for (const HnswGraph::Node node : near) {
      found.push_back(slot_of_node_[node]);
    }
  }
  std::ranges::sort(found);  // graphs may agree
  const auto again = std::ranges::unique(found);
  found.erase(again.begin(), again.end());
  return found;
}

SearchStats HnswSearch::stats() const {
  std::uint64_t sum = arms_scored_;
  for (const HnswGraph& graph : graphs_) sum += graph.visits();
  return {.arms_scored = sum, .scans = scans_};
}

}  // namespace manyarms
