#include "search/lsh/lsh.h"

#include <algorithm>
#include <cmath>

#include "kernels/kernels.h"
#include "lsh/sphere.h"
#include "manyarms/error.h"
#include "search/lsh/kind.h"
#include "search/top_by_scan.h"

namespace manyarms {
namespace {

using lsh::BandNumber;
using lsh::PointNumber;

// Costs in arms scored by a scan, measured with build/bench_searches. A scan
// reads memory in order, but a point from a leaf can be anywhere.
constexpr LshCosts kCosts = {.direction = 1.0, .read = 1.0, .candidate = 4.0};
constexpr double kEntryCost = 10;      // to put a point into a leaf
constexpr double kPlanningCost = 3e7;  // to plan
// Trees must not take longer to build than they are worth.
constexpr double kMaxInsertDirections = 4000;
constexpr std::size_t kMaxDepth = 3;
constexpr double kLeastBandBytes = 1e6;

// Trees are dropped when the number of arms has grown by this factor.
constexpr std::size_t kGrowth = 4;
constexpr std::size_t kCosines = 64;  // for which efforts are known
constexpr double kHighestCosine = 0.98;
constexpr std::size_t kAhead = 8;  // rows fetched ahead of their use
constexpr std::size_t kWinners = 32;
constexpr std::size_t kFarSample = 512;
constexpr std::size_t kFarQuantiles = 8;
// Trees are planned for less than the best score known, because the best scores
// of later queries may be lower.
constexpr double kExpectedShare = 0.9;

// If a forced tree does not fit into its share of the memory, its band is
// scanned.
LshPlan PlanOrScan(LshPlanRequest request) {
  try {
    return PlanLsh(request);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kTooLarge) throw;
    request.min_depth = 0;
    return PlanLsh(request);
  }
}

class LshFinder final : public Finder {
 public:
  explicit LshFinder(LshIndex& index)
      : index_(index),
        asker_{.scorer = Scorer(index.task().objective),
               .winners = {},
               .stats = {}} {}

  std::optional<Hit> Best(const Query& query) override {
    ForgetChangedWinners();
    asker_.scorer.Take(query);
    return index_.Best(query, asker_);
  }

  std::optional<Hit> BestWithoutTrace(const Query& query) override {
    ForgetChangedWinners();
    asker_.scorer.Take(query);
    return index_.BestWithoutTrace(query, asker_);
  }

  // Trees are made to find one arm that beats a score; the top k, and the best
  // of eligible arms, are left to a scan.
  std::vector<Hit> Top(const Query& query, const TopRequest& request) override {
    asker_.scorer.Take(query);
    ScannedTop top = TopByScan(asker_.scorer, index_.store(),
                               index_.members().arms(), request);
    asker_.stats.arms_scored += top.arms;
    ++asker_.stats.scans;
    return std::move(top.hits);
  }

  SearchStats stats() const override { return asker_.stats; }
  std::size_t memory_bytes() const override {
    return sizeof(*this) + asker_.winners.capacity() * sizeof(Slot);
  }

 private:
  void ForgetChangedWinners() {
    const Members& members = index_.members();
    if (members.LogReaches(seen_)) {
      for (const auto& [slot, added] : members.Changes(seen_)) {
        std::erase(asker_.winners, slot);
      }
    } else {
      asker_.winners.clear();
    }
    seen_ = members.epoch();
  }

  LshIndex& index_;
  LshIndex::Asker asker_;
  Epoch seen_ = 0;  // the epoch at which all winners were members
};

}  // namespace

// The effort for the next lower cosine in the table, which finds more points.
const LshIndex::Effort& LshIndex::EffortFor(const std::vector<Effort>& efforts,
                                            double cosine) {
  const double place = std::clamp(cosine, 0.0, 1.0) * (kCosines - 1);
  return efforts[static_cast<std::size_t>(place)];
}

LshIndex::LshIndex(const LshOptions& options, const SearchTask& task,
                   const ArmStore& store, Scope scope, std::uint64_t seed)
    : BuiltIndex(task, store, scope),
      options_(options),
      seed_(seed),
      points_(task.objective, store) {}

std::unique_ptr<Finder> LshIndex::MakeFinder() {
  return std::make_unique<LshFinder>(*this);
}

void LshIndex::Insert(std::span<const Slot> slots) {
  if (!planned()) return;
  // A plan that was made for very different arms is worth little.
  added_ += slots.size();
  if (members().size() > kGrowth * planned_for_ ||
      (!forced() && added_ > planned_for_)) {
    DropTrees();
    return;
  }
  try {
    for (const Slot slot : slots) {
      const PointNumber number = points_.Add(slot);
      PlannedBand& planned = BandOf(number);
      ++planned.points;
      if (built_) planned.band.Insert(number, points_.table()[number]);
    }
  } catch (...) {
    DropTrees();  // scans do not need them
    throw;
  }
}

void LshIndex::Erase(Slot slot) {
  if (!planned()) return;
  const PointNumber number = points_.number(slot);
  PlannedBand& planned = BandOf(number);
  --planned.points;
  if (built_) planned.band.Erase(number, points_.table()[number]);
  points_.Remove(slot);
}

void LshIndex::DropTrees() {
  points_.Clear();
  bands_.clear();
  planned_for_ = 0;
  built_ = false;
  added_ = 0;
  scanned_ = 0;
  would_save_ = 0;
}

LshIndex::LiftedQuery LshIndex::Lift(const Query& query) const {
  const lsh::PointTable& table = points_.table();
  LiftedQuery lifted;
  lifted.values.resize(table.stride());
  const auto values = std::span(lifted.values).first(table.dim());
  LiftQuery(task().objective, query, values);
  lifted.length = lsh::Length(values);
  lifted.on_sphere.resize(SphereDim(options_.reduction, table.dim()));
  lsh::QueryOnSphere(options_.reduction, values, lifted.on_sphere);
  return lifted;
}

std::optional<Hit> LshIndex::Best(const Query& query, Asker& asker) {
  if (members().size() == 0) return std::nullopt;
  const auto lock = Lock();
  if (!up_to_date()) return ScanAll(asker);
  if (!planned() && !forced() && scanned_ < kPlanningCost) {
    return ScanAll(asker);
  }
  const LiftedQuery lifted = Lift(query);
  Hit best = BestKnown(asker);
  const double bar = Bar(best);
  // Trees can be asked only for an arm that beats a positive score.
  const bool askable = planned() && best.slot != kNoSlot && bar > 0;
  const double saved =
      askable ? static_cast<double>(members().size()) - Cost(lifted, bar) : 0;
  if (built_ && askable && (saved > 0 || forced())) {
    best = Improve(lifted, best, bar, asker);
  } else {
    best = ScanAll(asker);
    would_save_ += std::max(0.0, saved);
    PrepareTrees(lifted, best.score);
  }
  if (best.slot != kNoSlot) {
    std::erase(asker.winners, best.slot);
    asker.winners.push_back(best.slot);
    if (asker.winners.size() > kWinners) {
      asker.winners.erase(asker.winners.begin());
    }
  }
  return best;
}

std::optional<Hit> LshIndex::BestWithoutTrace(const Query& query,
                                              Asker& asker) {
  if (members().size() == 0) return std::nullopt;
  const auto lock = Lock();
  if (up_to_date() && built_) {
    const LiftedQuery lifted = Lift(query);
    const Hit best = BestKnown(asker);
    const double bar = Bar(best);
    if (best.slot != kNoSlot && bar > 0 &&
        (forced() ||
         Cost(lifted, bar) < static_cast<double>(members().size()))) {
      return Improve(lifted, best, bar, asker);
    }
  }
  return Scan(asker);
}

// An arm below the sought score is of no use.
double LshIndex::Bar(const Hit& best) const {
  return std::max<double>(best.score, task().sought ? task().sought->score : 0);
}

void LshIndex::PrepareTrees(const LiftedQuery& query, double best_score) {
  try {
    if (!planned()) Plan(query, best_score);
    if (planned() && !built_ && (forced() || would_save_ > BuildCost())) {
      Build();
    }
  } catch (...) {
    DropTrees();
    throw;
  }
}

Hit LshIndex::Scan(Asker& asker) const {
  const ArmSet& arms = members().arms();
  ++asker.stats.scans;
  asker.stats.arms_scored += arms.size();
  return asker.scorer.Best(store().blocks(), arms.blocks());
}

Hit LshIndex::ScanAll(Asker& asker) {
  scanned_ += static_cast<double>(members().size());
  return Scan(asker);
}

// The best of the last winners.
Hit LshIndex::BestKnown(Asker& asker) const {
  std::vector<MaskedBlock> blocks;
  blocks.reserve(asker.winners.size());
  for (const Slot slot : asker.winners) {
    blocks.push_back({.block = BlockOf(slot), .lanes = 1U << LaneOf(slot)});
  }
  asker.stats.arms_scored += blocks.size();
  if (blocks.empty()) return {};
  return asker.scorer.Best(store().blocks(), blocks);
}

// Plans trees for queries like this one, whose best score is known.
void LshIndex::Plan(const LiftedQuery& query, double best_score) {
  if (query.length == 0 || best_score <= 0) return;
  for (const Slot slot : members().arms().Slots()) points_.Add(slot);
  const lsh::PointTable& table = points_.table();
  expected_ = kExpectedShare * best_score / query.length;
  std::map<BandNumber, std::size_t> sizes;
  std::vector<double> cosines;
  const std::size_t stride = std::max<std::size_t>(1, table.end() / kFarSample);
  cosines.reserve(table.end() / stride + 1);
  for (PointNumber n = 0; n < table.end(); ++n) {
    if (!table.Contains(n)) continue;
    const double length = lsh::Length(table[n]);
    ++sizes[lsh::BandOf(length)];
    if (n % stride != 0 || length == 0) continue;
    cosines.push_back(kernels::InnerProduct(table.row(n), query.values.data(),
                                            table.stride()) /
                      (query.length * length));
  }
  if (cosines.empty()) {
    points_.Clear();
    return;
  }
  std::ranges::sort(cosines);
  far_.clear();
  for (std::size_t i = 0; i < kFarQuantiles; ++i) {
    const std::size_t place =
        (2 * i + 1) * cosines.size() / (2 * kFarQuantiles);
    far_.push_back(std::clamp(cosines[place], -1.0, 1.0));
  }
  planned_for_ = members().arms().size();
  for (const auto& [number, size] : sizes) {
    bands_.emplace(number, PlanBand(number, size)).first->second.points = size;
  }
}

LshIndex::PlannedBand LshIndex::PlanBand(BandNumber number,
                                         std::size_t points) {
  const double near = expected_ / lsh::BandScale(number);
  const double share =
      static_cast<double>(points) / static_cast<double>(planned_for_);
  LshPlanRequest request{
      .points = std::max<std::size_t>(points, 1),
      .dim = SphereDim(options_.reduction, points_.table().dim()),
      .near = SphereCosine(options_.reduction, std::min(kHighestCosine, near)),
      .far = {},
      .success = options_.success,
      .min_depth = options_.min_depth,
      .max_depth = std::max(kMaxDepth, options_.min_depth),
      .max_bytes = std::max(kLeastBandBytes, options_.max_bytes * share),
      .max_insert_directions = kMaxInsertDirections,
      .costs = kCosts};
  request.far.reserve(far_.size());
  for (const double cosine : far_) {
    request.far.push_back(SphereCosine(options_.reduction, cosine));
  }
  // Points that are shorter than any expected answer are rarely asked for.
  LshPlan plan;
  plan.shape.dim = request.dim;
  if (forced() || near < kHighestCosine) plan = PlanOrScan(request);
  PlannedBand planned{
      .band = lsh::Band(options_.reduction, number, plan.shape, 1, seed_),
      .efforts = {},
      .insert_cost = kCosts.direction * plan.insert_directions +
                     kEntryCost * std::max(1.0, plan.entries)};
  planned.efforts.reserve(kCosines);
  for (std::size_t i = 0; i < kCosines; ++i) {
    const double cosine = static_cast<double>(i) / (kCosines - 1);
    request.near = SphereCosine(options_.reduction, cosine);
    const LshPlan at = PlanQuery(plan.shape, request);
    planned.efforts.push_back(
        {.threshold = static_cast<float>(at.query_threshold),
         .directions = kCosts.direction * at.directions,
         .per_point =
             (kCosts.read * at.reads + kCosts.candidate * at.candidates) /
             static_cast<double>(request.points)});
  }
  return planned;
}

// The band of a point; planned now if it is the first of its length.
LshIndex::PlannedBand& LshIndex::BandOf(PointNumber number) {
  const BandNumber band = lsh::BandOf(lsh::Length(points_.table()[number]));
  const auto known = bands_.find(band);
  if (known != bands_.end()) return known->second;
  return bands_.emplace(band, PlanBand(band, 1)).first->second;
}

double LshIndex::BuildCost() const {
  double cost = 0;
  for (const auto& [number, planned] : bands_) {
    cost += planned.insert_cost * static_cast<double>(planned.points);
  }
  return cost;
}

void LshIndex::Build() {
  const lsh::PointTable& table = points_.table();
  for (PointNumber n = 0; n < table.end(); ++n) {
    if (table.Contains(n)) BandOf(n).band.Insert(n, table[n]);
  }
  built_ = true;
}

double LshIndex::Cost(const LiftedQuery& query, double bar) const {
  double cost = 0;
  for (const auto& [number, planned] : bands_) {
    const double reach = planned.band.scale() * query.length;
    if (reach < bar) break;
    const Effort& effort = EffortFor(planned.efforts, bar / reach);
    cost += effort.directions +
            effort.per_point * static_cast<double>(planned.points);
  }
  return cost;
}

// Looks for arms that score higher than the best known and reach the threshold,
// the longest first.
Hit LshIndex::Improve(const LiftedQuery& query, Hit best, double bar,
                      Asker& asker) {
  const lsh::PointTable& table = points_.table();
  std::vector<MaskedBlock> better;
  meetings_.Begin(table.end());
  for (const auto& [number, planned] : bands_) {
    bar = std::max<double>(bar, best.score);
    const double reach = planned.band.scale() * query.length;
    if (reach < bar) break;
    // Scores from rows are rounded differently from those of the scorer, which
    // decides.
    const auto least =
        static_cast<float>(bar - lsh::RoundingError(table.dim(), reach));
    better.clear();
    const auto look_at = [&](std::span<const PointNumber> leaf) {
      for (std::size_t i = 0; i < leaf.size(); ++i) {
        if (i + kAhead < leaf.size()) table.Prefetch(leaf[i + kAhead]);
        if (!meetings_.First(leaf[i])) continue;
        ++asker.stats.arms_scored;
        const float score = kernels::InnerProduct(
            table.row(leaf[i]), query.values.data(), table.stride());
        if (score < least) continue;
        const Slot slot = points_.slot(leaf[i]);
        better.push_back({.block = BlockOf(slot), .lanes = 1U << LaneOf(slot)});
      }
      return true;
    };
    asker.stats.directions += planned.band.tree(0).VisitLeaves(
        query.on_sphere, EffortFor(planned.efforts, bar / reach).threshold,
        look_at);
    if (better.empty()) continue;
    best = Better(store(), best, asker.scorer.Best(store().blocks(), better));
  }
  return best;
}

std::size_t LshIndex::bytes() const {
  std::size_t sum = 0;
  for (const auto& [number, planned] : bands_) sum += planned.band.bytes();
  return sum;
}

std::unique_ptr<Index> SearchKind<LshOptions>::Make(const LshOptions& options,
                                                    const SearchTask& task,
                                                    const ArmStore& store,
                                                    Scope scope,
                                                    std::uint64_t seed) {
  return std::make_unique<LshIndex>(options, task, store, scope, seed);
}

}  // namespace manyarms
