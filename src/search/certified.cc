#include "search/certified.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "manyarms/error.h"

namespace manyarms {
namespace {

// Below this a scan takes no longer than asking an order.
constexpr std::size_t kFewArms = 256;

// What a survey costs, in arms scored by a scan: reading and copying count
// twice, and d^2/2 multiply-adds an arm are done eight at a time while a scan
// waits for the memory.
std::uint64_t SurveyCost(std::size_t arms, std::size_t dim) {
  return arms * (2 + dim / 16);
}

// What planning one costs, likewise.
constexpr std::uint64_t kPlanCost = 32768;

// The part of the arms that are contenders at most for safety's sake.
constexpr double kMostContenders = 1.0 / 4;

// From this many arms on, tightening a snapshot, O(d^3), is cheaper than the
// walk.
std::size_t LongWalk(std::size_t dim) { return 200 * dim; }

bool HasSecondCore() { return std::thread::hardware_concurrency() > 1; }

}  // namespace

CertifiedSearch::CertifiedSearch(const CertifiedOptions& options,
                                 Objective objective,
                                 const Catalogue& catalogue,
                                 const Posterior& posterior)
    : options_(options),
      objective_(objective),
      catalogue_(catalogue),
      posterior_(posterior) {}

CertifiedSearch::~CertifiedSearch() { CancelSurvey(); }

void CertifiedSearch::Add(std::span<const Slot> slots) {
  for (const Slot slot : slots) arms_.Add(slot);
  if (order_ && !survey_.valid()) {
    Welcome(slots);
  } else {
    for (const Slot slot : slots) fresh_.Add(slot);
  }
}

// Most new arms cannot be better than the best of the rest, and join them. The
// others are fresh until the next survey.
void CertifiedSearch::Welcome(std::span<const Slot> slots) {
  const kernels::BoundTerms terms = order_->snapshot().terms();
  const BlockTable table = catalogue_.blocks();
  kernels::BlockBounds bounds;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::uint32_t block = BlockOf(slots[i]);
    if (i == 0 || block != BlockOf(slots[i - 1])) {
      kernels::BoundsOf(table.Features(block), terms, bounds);
    }
    const std::uint32_t lane = LaneOf(slots[i]);
    if (!order_->IsBelowRest(bounds.centre[lane], bounds.width[lane])) {
      fresh_.Add(slots[i]);
    }
  }
}

void CertifiedSearch::Remove(Slot slot) {
  arms_.Remove(slot);
  if (survey_.valid()) left_since_.push_back(slot);
  if (fresh_.Contains(slot)) {
    fresh_.Remove(slot);
  } else if (surveyed_.Contains(slot)) {
    surveyed_.Remove(slot);
  } else {
    order_->Remove(slot);
  }
}

void CertifiedSearch::Clear() {
  CancelSurvey();
  arms_.Clear();
  fresh_.Clear();
  order_.reset();
}

std::optional<Hit> CertifiedSearch::Best(const Query& query) {
  if (arms_.size() == 0) return std::nullopt;
  FinishSurveyIfReady();
  const Hit best = FindBest(query);
  ++choices_;
  if (options_.check_every > 0 && choices_ % options_.check_every == 0) {
    Check(query, best);
  }
  ConsiderSurvey(query, best);
  return best;
}

Hit CertifiedSearch::FindBest(const Query& query) {
  const std::uint64_t scored_before = stats_.arms_scored;
  const Scorer scorer(objective_, query);
  const BlockTable table = catalogue_.blocks();
  Hit best = Better(catalogue_, scorer.Best(table, fresh_.blocks()),
                    scorer.Best(table, surveyed_.blocks()));
  stats_.arms_scored += fresh_.size() + surveyed_.size();
  if (order_) {
    if (last_walk_ > LongWalk(catalogue_.dim())) order_->Tighten(query);
    const Order::Walk walk = order_->FindBest(scorer, query, best, catalogue_);
    stats_.arms_scored += walk.arms;
    last_walk_ = walk.arms;
    best = walk.certain ? walk.best : Scan(scorer);
    scanned_since_ |= !walk.certain;
  }
  scored_since_ += stats_.arms_scored - scored_before;
  ++choices_since_;
  return best;
}

Hit CertifiedSearch::Scan(const Scorer& scorer) {
  stats_.arms_scored += arms_.size();
  return scorer.Best(catalogue_.blocks(), arms_.blocks());
}

void CertifiedSearch::Check(const Query& query, const Hit& found) {
  const Hit scanned =
      Scorer(objective_, query).Best(catalogue_.blocks(), arms_.blocks());
  ++stats_.checks;
  if (scanned.slot == found.slot && scanned.score == found.score) return;
  throw Error(
      ErrorCode::kWrongAnswer,
      fmt::format("certified search chose arm {} (score {:.9g}) where a scan "
                  "of all {} finds arm {} (score {:.9g}): choice {}, snapshot "
                  "{}, {} contenders, {} fresh arms; were arms changed behind "
                  "its back?",
                  catalogue_.id(found.slot), found.score, arms_.size(),
                  catalogue_.id(scanned.slot), scanned.score, choices_,
                  stats_.snapshots, order_ ? order_->size() : 0,
                  fresh_.size() + surveyed_.size()));
}

void CertifiedSearch::ConsiderSurvey(const Query& query, const Hit& best) {
  if (survey_.valid() || arms_.size() < kFewArms) return;
  const std::size_t arms = arms_.size();
  const std::uint64_t price = order_ ? SurveyCost(arms, catalogue_.dim())
                                     : std::max<std::uint64_t>(arms, kPlanCost);
  if (scored_since_ < price) return;

  if (order_) {
    contenders_ = scanned_since_ ? std::min(2 * contenders_, kMostContenders)
                                 : std::max(contenders_ / 2, kFewestContenders);
  }
  std::optional<SurveyPlan> plan =
      PlanSurvey(catalogue_, arms_.blocks(), Snapshot(objective_, posterior_),
                 {.query = query,
                  .best = best,
                  .radius = order_ ? order_->snapshot().Radius(query) : 0,
                  .mean_walk = static_cast<double>(scored_since_) /
                               static_cast<double>(choices_since_),
                  .contenders = contenders_});
  scored_since_ = 0;
  choices_since_ = 0;
  scanned_since_ = false;
  if (plan) StartSurvey(*std::move(plan));
}

void CertifiedSearch::StartSurvey(SurveyPlan plan) {
  const auto take =
      [this, plan = std::move(plan),
       arms = std::vector(arms_.blocks().begin(), arms_.blocks().end())] {
        const auto start = std::chrono::steady_clock::now();
        std::unique_ptr<Order> order =
            TakeSurvey(catalogue_, arms, plan, cancelled_);
        const std::chrono::duration<double> took =
            std::chrono::steady_clock::now() - start;
        return Surveyed{std::move(order), took.count()};
      };
  const bool aside = options_.background && HasSecondCore();
  survey_ =
      std::async(aside ? std::launch::async : std::launch::deferred, take);
  std::swap(fresh_, surveyed_);
  if (!aside) FinishSurvey();
}

void CertifiedSearch::FinishSurveyIfReady() {
  if (survey_.valid() &&
      survey_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    FinishSurvey();
  }
}

void CertifiedSearch::FinishSurvey() {
  Surveyed surveyed = survey_.get();
  ++stats_.snapshots;
  stats_.snapshot_seconds += surveyed.seconds;
  last_walk_ = 0;
  order_ = std::move(surveyed.order);
  for (const Slot slot : left_since_) order_->Remove(slot);
  left_since_.clear();
  surveyed_.Clear();

  std::vector<Slot> fresh;
  for (const MaskedBlock& masked : fresh_.blocks()) {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      if ((masked.lanes >> lane & 1U) != 0) {
        fresh.push_back(masked.block * kLanes + lane);
      }
    }
  }
  fresh_.Clear();
  Welcome(fresh);
}

void CertifiedSearch::CancelSurvey() {
  if (!survey_.valid()) return;
  cancelled_ = true;
  survey_.wait();
  survey_ = {};
  cancelled_ = false;
  left_since_.clear();
  surveyed_.Clear();
}

}  // namespace manyarms
