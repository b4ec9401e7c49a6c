#include "search/certified/certified.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "search/top_by_scan.h"

namespace manyarms {
namespace {

// Below this a scan takes no longer than asking an order.
constexpr std::size_t kFewArms = 256;

// A walk no longer than this takes less time than all else in a choice.
constexpr std::uint64_t kShortWalk = 64;

// A plan bounds 4,096 arms and inverts a factor; one is made when several times
// as much was spent on choices.
std::uint64_t PlanPrice(std::size_t dim) {
  return 16384 * (1 + (dim + 15) / 16) + dim * dim;
}

// The part of all arms that are contenders though the last query did not need
// them: more where choices were left uncertain, less of very many.
constexpr double kMostSpare = 1.0 / 4;
double LeastSpare(std::size_t arms) {
  return std::min(1.0 / 32, 32 / std::sqrt(static_cast<double>(arms)));
}

// From this many arms on, tightening a snapshot, O(d^3), is cheaper than the
// walk.
std::size_t LongWalk(std::size_t dim) { return 200 * dim; }

bool HasSecondCore() { return std::thread::hardware_concurrency() > 1; }

}  // namespace

CertifiedSearch::CertifiedSearch(bool background, Objective objective,
                                 const ArmStore& store,
                                 const Posterior& posterior)
    : background_(background),
      objective_(objective),
      store_(store),
      posterior_(posterior),
      scorer_(objective) {}

CertifiedSearch::~CertifiedSearch() { CancelSurvey(); }

void CertifiedSearch::Add(std::span<const Slot> slots) {
  FinishSurveyIfReady();
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
  const BlockTable table = store_.blocks();
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
  FinishSurveyIfReady();
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
  probe_.reset();
  recent_ = {};
  credit_ = 0;
  spare_ = 0;
  last_walk_ = 0;
}

std::optional<Hit> CertifiedSearch::Best(const Query& query) {
  if (arms_.size() == 0) return std::nullopt;
  FinishSurveyIfReady();
  scorer_.Take(query);
  if (MustScan(query)) {
    stats_.arms_scored += arms_.size();
    return BestOf(arms_);
  }
  const std::uint64_t scored_before = stats_.arms_scored;
  const Hit best = FindBest(query);
  recent_.arms += stats_.arms_scored - scored_before;
  ++recent_.choices;
  ConsiderSurveyIfRoom(query, best);
  return best;
}

std::vector<Hit> CertifiedSearch::Top(const Query& query,
                                      const TopRequest& request) {
  if (arms_.size() == 0) return {};
  FinishSurveyIfReady();
  scorer_.Take(query);
  const std::size_t eligible =
      request.among != nullptr ? request.among->size() : arms_.size();
  if (MustScan(query) || eligible <= std::max(kFewArms, request.count)) {
    return ScanTop(request);
  }
  return FindTop(query, request);
}

void CertifiedSearch::ConsiderSurveyIfRoom(const Query& query,
                                           const Hit& worst) {
  try {
    ConsiderSurvey(query, worst);
  } catch (const std::bad_alloc&) {
    // Then there is none, and the old order has to do.
  }
}

bool CertifiedSearch::MustScan(const Query& query) const {
  return objective_ == Objective::kOptimism &&
         !IsWellConditioned(*query.factor);
}

void CertifiedSearch::TightenAfterLongWalk(const Query& query) {
  if (last_walk_ > LongWalk(store_.dim())) order_->Tighten(query);
}

Hit CertifiedSearch::FindBest(const Query& query) {
  Hit best = Better(store_, BestOf(fresh_), BestOf(surveyed_));
  stats_.arms_scored += fresh_.size() + surveyed_.size();
  if (!order_) return best;
  TightenAfterLongWalk(query);
  const Order::Walk walk = order_->FindBest(scorer_, query, store_, best);
  stats_.arms_scored += walk.arms;
  last_walk_ = walk.arms;
  if (!walk.certain) {
    best = BestOf(arms_);
    stats_.arms_scored += arms_.size();
    last_walk_ += arms_.size();
    recent_.uncertain = true;
  }
  return best;
}

std::vector<Hit> CertifiedSearch::FindTop(const Query& query,
                                          const TopRequest& request) {
  const std::uint64_t scored_before = stats_.arms_scored;
  if (!order_) {
    std::vector<Hit> scanned = ScanTop(request);
    CountTop(query, scanned, stats_.arms_scored - scored_before);
    return scanned;
  }
  kernels::TopHits top(request.count);
  for (const ArmSet* arms : {&fresh_, &surveyed_}) {
    const std::vector<MaskedBlock> blocks = Common(*arms, request.among);
    scorer_.Top(store_.blocks(), blocks, top);
    stats_.arms_scored += CountArms(blocks);
  }
  TightenAfterLongWalk(query);
  const Order::Walk walk = order_->FindTop(scorer_, query, request.among, top);
  stats_.arms_scored += walk.arms;
  if (walk.certain) {
    last_walk_ = walk.arms;
    std::vector<Hit> sorted = top.Sorted();
    CountTop(query, sorted, stats_.arms_scored - scored_before);
    return sorted;
  }
  // That a part of the arms is not among the contenders says nothing of how
  // good the order is for all of them.
  std::vector<Hit> scanned = ScanTop(request);
  if (request.among == nullptr) {
    last_walk_ = stats_.arms_scored - scored_before;
    recent_.uncertain = true;
    CountTop(query, scanned, last_walk_);
  }
  return scanned;
}

// Takes note of the work, which may pay for a survey.
void CertifiedSearch::CountTop(const Query& query, const std::vector<Hit>& top,
                               std::uint64_t scored) {
  recent_.arms += scored;
  ++recent_.choices;
  if (!top.empty()) ConsiderSurveyIfRoom(query, top.back());
}

std::vector<Hit> CertifiedSearch::ScanTop(const TopRequest& request) {
  ScannedTop top = TopByScan(scorer_, store_, arms_, request);
  stats_.arms_scored += top.arms;
  return std::move(top.hits);
}

Hit CertifiedSearch::BestOf(const ArmSet& arms) const {
  if (arms.size() == 0) return {};
  return scorer_.Best(store_.blocks(), arms.blocks());
}

// The work since the last survey must have paid for the next one, and the next
// one must be worth it. What that takes depends on what the posterior knows by
// now, so a new plan is made from time to time.
void CertifiedSearch::ConsiderSurvey(const Query& query, const Hit& best) {
  if (survey_.valid() || arms_.size() < kFewArms) return;
  const std::size_t dim = store_.dim();
  const std::uint64_t plan_every =
      std::max(PlanPrice(dim), PassPrice(arms_.size(), dim));
  if (recent_.arms < plan_every) return;

  const Recent recent = std::exchange(recent_, {});
  credit_ += recent.arms;
  if (recent.arms < kShortWalk * recent.choices) return;
  const double spare = std::max(
      LeastSpare(arms_.size()),
      recent.uncertain ? std::min(2 * spare_, kMostSpare) : spare_ / 2);
  Snapshot snapshot(objective_, posterior_);
  if (!order_ && !probe_) {
    probe_ = std::move(snapshot);
    return;
  }
  // The next queries will be about as far from the snapshot as the last ones
  // were from theirs, where that was too far to be certain.
  const bool far = !order_ || recent.uncertain;
  const double radius =
      (order_ ? order_->snapshot() : *probe_).Radius(query) / (far ? 1 : 2);
  if (!order_) probe_ = snapshot;
  std::optional<SurveyPlan> plan =
      PlanSurvey(store_, arms_.blocks(), std::move(snapshot),
                 {.query = query,
                  .best = best,
                  .radius = radius,
                  .mean_walk = static_cast<double>(recent.arms) /
                               static_cast<double>(recent.choices),
                  .spare = spare,
                  .arms = arms_.size()});
  if (plan && credit_ < plan->price) return;
  credit_ = 0;
  if (!plan) return;
  spare_ = spare;
  StartSurvey(*std::move(plan));
}

// Runs on any thread: reads only what nobody changes meanwhile.
CertifiedSearch::Surveyed CertifiedSearch::Survey() const {
  const auto start = std::chrono::steady_clock::now();
  Surveyed surveyed;
  try {
    surveyed.order = TakeSurvey(store_, input_->arms, input_->plan, cancelled_);
  } catch (const std::bad_alloc&) {
    // Then the old order has to do.
  }
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - start;
  surveyed.seconds = took.count();
  return surveyed;
}

void CertifiedSearch::StartSurvey(SurveyPlan plan) {
  input_.emplace(SurveyInput{std::move(plan),
                             {arms_.blocks().begin(), arms_.blocks().end()}});
  const auto take = [this] { return Survey(); };
  bool aside = background_ && HasSecondCore();
  surveying_process_ = getpid();
  try {
    survey_ =
        std::async(aside ? std::launch::async : std::launch::deferred, take);
  } catch (const std::system_error&) {  // no thread to be had
    aside = false;
    survey_ = std::async(std::launch::deferred, take);
  }
  stats_.arms_bounded += arms_.size();
  std::swap(fresh_, surveyed_);
  if (!aside) FinishSurvey();
}

// A process that was forked meanwhile has no copy of the thread that surveys
// for its parent, and would wait for it for ever.
void CertifiedSearch::GiveUpSurveyOfParent() {
  if (!survey_.valid() || surveying_process_ == getpid()) return;
  // Left alone: it could only be destroyed by waiting, too.
  static_cast<void>(
      std::make_unique<std::future<Surveyed>>(std::move(survey_)).release());
  std::promise<Surveyed> nothing;
  nothing.set_value({});
  survey_ = nothing.get_future();
}

void CertifiedSearch::FinishSurveyIfReady() {
  GiveUpSurveyOfParent();
  if (survey_.valid() &&
      survey_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    FinishSurvey();
  }
}

void CertifiedSearch::FinishSurvey() {
  Surveyed surveyed = survey_.get();
  stats_.snapshot_seconds += surveyed.seconds;
  input_.reset();
  if (!surveyed.order) {
    for (const Slot slot : surveyed_.Slots()) fresh_.Add(slot);
  } else {
    ++stats_.snapshots;
    last_walk_ = 0;
    probe_.reset();
    order_ = std::move(surveyed.order);
    for (const Slot slot : left_since_) order_->Remove(slot);
    const std::vector<Slot> came_since = fresh_.Slots();
    fresh_.Clear();
    Welcome(came_since);
  }
  left_since_.clear();
  surveyed_.Clear();
}

// REQUIRES: the arms go as well, among them those that were being surveyed.
void CertifiedSearch::CancelSurvey() {
  GiveUpSurveyOfParent();
  if (!survey_.valid()) return;
  cancelled_ = true;
  survey_.wait();
  survey_ = {};
  input_.reset();
  cancelled_ = false;
  left_since_.clear();
  surveyed_.Clear();
}

}  // namespace manyarms
