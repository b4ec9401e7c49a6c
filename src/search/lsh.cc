#include "search/lsh.h"

#include <algorithm>
#include <cmath>

#include "kernels/kernels.h"
#include "lsh/sphere.h"

namespace manyarms {
namespace {

using lsh::BandNumber;
using lsh::PointNumber;

// In arms scored by a scan, measured with build/bench_lsh: a scan streams, a
// point from a leaf is somewhere in memory.
constexpr LshCosts kCosts = {.direction = 1.0, .read = 1.0, .candidate = 4.0};

// Trees are built anew when there are so many times more points.
constexpr std::size_t kGrowth = 4;
// Building trees must not take longer than they are worth.
constexpr double kMaxInsertDirections = 6000;
constexpr std::size_t kCosines = 64;  // that efforts are known for
constexpr std::size_t kAhead = 8;     // rows fetched ahead of their use
constexpr std::size_t kWinners = 32;
constexpr std::size_t kFarSample = 512;
constexpr std::size_t kFarQuantiles = 8;
// A threshold below the best known leaves room for worse queries to come.
constexpr double kExpectedShare = 0.9;

}  // namespace

LshSearch::LshSearch(const LshOptions& options, const SearchTask& task,
                     const Catalogue& catalogue, std::uint64_t seed)
    : options_(options),
      task_(task),
      catalogue_(catalogue),
      seed_(seed),
      points_(task.objective, catalogue),
      scorer_(task.objective) {}

void LshSearch::Add(std::span<const Slot> slots) {
  for (const Slot slot : slots) {
    const PointNumber number = points_.Add(slot);
    if (planted_for_ > 0) Insert(number);
  }
  if (points_.size() > kGrowth * planted_for_) {
    bands_.clear();
    planted_for_ = 0;
  }
}

void LshSearch::Remove(Slot slot) {
  if (planted_for_ > 0) {
    const PointNumber number = points_.number(slot);
    const auto point = points_.table()[number];
    const auto band = bands_.find(lsh::BandOf(lsh::Length(point)));
    band->second.band.Erase(number, point);
    if (band->second.band.size() == 0) bands_.erase(band);
  }
  points_.Remove(slot);
  std::erase(winners_, slot);
}

void LshSearch::Clear() {
  points_.Clear();
  bands_.clear();
  planted_for_ = 0;
  winners_.clear();
}

LshSearch::LiftedQuery LshSearch::Lift(const Query& query) const {
  const lsh::PointTable& table = points_.table();
  LiftedQuery lifted;
  lifted.values.resize(table.stride());
  const auto values = std::span(lifted.values).first(table.dim());
  LiftQuery(task_.objective, query, values);
  lifted.length = lsh::Length(values);
  lifted.on_sphere.resize(SphereDim(options_.reduction, table.dim()));
  lsh::QueryOnSphere(options_.reduction, values, lifted.on_sphere);
  return lifted;
}

Hit LshSearch::ScanAll() {
  ++stats_.scans;
  stats_.arms_scored += points_.size();
  return scorer_.Best(catalogue_.blocks(), points_.arms().blocks());
}

std::optional<Hit> LshSearch::Best(const Query& query) {
  if (points_.size() == 0) return std::nullopt;
  scorer_.Take(query);
  const LiftedQuery lifted = Lift(query);
  Hit best = BestKnown();
  // What is below the sought score is as good as nothing.
  const double bar = std::max<double>(best.score, task_.sought);
  if (best.slot != kNoSlot && TreesPay(lifted, bar)) {
    best = Improve(lifted, best, bar);
  } else {
    best = ScanAll();
    if (planted_for_ == 0) Plant(lifted, best.score);
  }
  Remember(best.slot);
  return best;
}

bool LshSearch::TreesPay(const LiftedQuery& query, double bar) const {
  if (planted_for_ == 0 || bar <= 0) return false;
  return options_.min_depth > 0 ||
         Cost(query, bar) < static_cast<double>(points_.size());
}

// Plans and builds the trees for queries like this one.
void LshSearch::Plant(const LiftedQuery& query, double best_score) {
  if (query.length == 0 || best_score <= 0) return;
  const lsh::PointTable& table = points_.table();
  expected_ = kExpectedShare * best_score / query.length;
  far_.clear();
  std::map<BandNumber, std::size_t> sizes;
  const std::size_t stride = std::max<std::size_t>(1, table.end() / kFarSample);
  for (PointNumber n = 0; n < table.end(); ++n) {
    if (!table.Contains(n)) continue;
    const double length = lsh::Length(table[n]);
    ++sizes[lsh::BandOf(length)];
    if (n % stride != 0 || length == 0) continue;
    far_.push_back(kernels::InnerProduct(table.row(n), query.values.data(),
                                         table.stride()) /
                   (query.length * length));
  }
  std::ranges::sort(far_);
  std::vector<double> quantiles;
  for (std::size_t i = 0; i < kFarQuantiles && !far_.empty(); ++i) {
    quantiles.push_back(far_[(2 * i + 1) * far_.size() / (2 * kFarQuantiles)]);
  }
  far_ = quantiles;
  if (far_.empty()) return;

  planted_for_ = points_.size();
  for (const auto& [number, size] : sizes) {
    bands_.emplace(number, MakeBand(number, size));
  }
  for (PointNumber n = 0; n < table.end(); ++n) {
    if (table.Contains(n)) Insert(n);
  }
}

LshSearch::Planted LshSearch::MakeBand(BandNumber number, std::size_t points) {
  const double scale = lsh::BandScale(number);
  LshPlanRequest request{
      .points = std::max<std::size_t>(points, 1),
      .dim = SphereDim(options_.reduction, points_.table().dim()),
      .near =
          SphereCosine(options_.reduction, std::min(0.98, expected_ / scale)),
      .far = {},
      .success = options_.success,
      .min_depth = options_.min_depth,
      .max_depth = 3,
      .max_bytes = options_.max_bytes * static_cast<double>(points) /
                   static_cast<double>(planted_for_),
      .max_insert_directions = kMaxInsertDirections,
      .costs = kCosts};
  for (const double cosine : far_) {
    request.far.push_back(SphereCosine(options_.reduction, cosine));
  }
  const LshPlan plan = PlanLsh(request);
  Planted planted{lsh::Band(options_.reduction, number, plan.shape, 1, seed_),
                  {}};
  for (std::size_t i = 0; i < kCosines; ++i) {
    const double cosine = static_cast<double>(i) / (kCosines - 1);
    request.near = SphereCosine(options_.reduction, cosine);
    const LshPlan at = PlanQuery(plan.shape, request);
    planted.efforts.push_back(
        {.threshold = static_cast<float>(at.query_threshold),
         .directions = kCosts.direction * at.directions,
         .per_point =
             (kCosts.read * at.reads + kCosts.candidate * at.candidates) /
             static_cast<double>(request.points)});
  }
  return planted;
}

void LshSearch::Insert(PointNumber number) {
  const auto point = points_.table()[number];
  const BandNumber number_of_band = lsh::BandOf(lsh::Length(point));
  auto band = bands_.find(number_of_band);
  if (band == bands_.end()) {
    band = bands_.emplace(number_of_band, MakeBand(number_of_band, 1)).first;
  }
  band->second.band.Insert(number, point);
}

// That of the next lower cosine in the table, which finds more.
const LshSearch::Effort& LshSearch::EffortFor(const Planted& planted,
                                              double cosine) const {
  const double place = std::clamp(cosine, 0.0, 1.0) * (kCosines - 1);
  return planted.efforts[static_cast<std::size_t>(place)];
}

double LshSearch::Cost(const LiftedQuery& query, double bar) const {
  double cost = 0;
  for (const auto& [number, planted] : bands_) {
    const double reach = planted.band.scale() * query.length;
    if (reach < bar) continue;
    const Effort& effort = EffortFor(planted, bar / reach);
    cost += effort.directions +
            effort.per_point * static_cast<double>(planted.band.size());
  }
  return cost;
}

// The best of the last winners.
Hit LshSearch::BestKnown() {
  std::vector<MaskedBlock> blocks;
  blocks.reserve(winners_.size());
  for (const Slot slot : winners_) {
    blocks.push_back({.block = BlockOf(slot), .lanes = 1U << LaneOf(slot)});
  }
  stats_.arms_scored += blocks.size();
  if (blocks.empty()) return {};
  return scorer_.Best(catalogue_.blocks(), blocks);
}

// Looks for arms that score higher than the best known and reach the bar,
// longest first.
Hit LshSearch::Improve(const LiftedQuery& query, Hit best, double bar) {
  const lsh::PointTable& table = points_.table();
  std::vector<MaskedBlock> better;
  meetings_.Begin(table.end());
  for (const auto& [number, planted] : bands_) {
    bar = std::max<double>(bar, best.score);
    const double reach = planted.band.scale() * query.length;
    if (reach < bar) break;
    // Rounded differently from the scorer, which has the last word.
    const auto least = static_cast<float>(bar * (1 - 1e-5));
    better.clear();
    stats_.directions += planted.band.tree(0).VisitLeaves(
        query.on_sphere, EffortFor(planted, bar / reach).threshold,
        [&](std::span<const PointNumber> leaf) {
          for (std::size_t i = 0; i < leaf.size(); ++i) {
            if (i + kAhead < leaf.size()) table.Prefetch(leaf[i + kAhead]);
            const PointNumber point = leaf[i];
            if (!meetings_.First(point)) continue;
            ++stats_.arms_scored;
            const float score = kernels::InnerProduct(
                table.row(point), query.values.data(), table.stride());
            if (score < least) continue;
            const Slot slot = points_.slot(point);
            better.push_back(
                {.block = BlockOf(slot), .lanes = 1U << LaneOf(slot)});
          }
          return true;
        });
    if (better.empty()) continue;
    best = Better(catalogue_, best, scorer_.Best(catalogue_.blocks(), better));
  }
  return best;
}

void LshSearch::Remember(Slot slot) {
  std::erase(winners_, slot);
  winners_.push_back(slot);
  if (winners_.size() > kWinners) winners_.erase(winners_.begin());
}

std::size_t LshSearch::bytes() const {
  std::size_t sum = 0;
  for (const auto& [number, planted] : bands_) sum += planted.band.bytes();
  return sum;
}

}  // namespace manyarms
