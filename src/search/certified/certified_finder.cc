#include "search/certified/certified_finder.h"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "search/certified/survey_threads.h"
#include "search/top_by_scan.h"

namespace manyarms {
namespace {

// With up to this number of arms, a scan takes no longer than a walk.
constexpr std::size_t kFewArms = 256;

// Tightening a snapshot costs O(d^3), which is less than a walk over this
// number of arms.
std::size_t LongWalk(std::size_t dim) { return 200 * dim; }

// The eligible arms of the blocks.
std::vector<MaskedBlock> Eligible(std::span<const MaskedBlock> blocks,
                                  const ArmSet* among) {
  std::vector<MaskedBlock> eligible(blocks.begin(), blocks.end());
  if (among == nullptr) return eligible;
  for (MaskedBlock& masked : eligible) {
    masked.lanes &= among->lanes(masked.block);
  }
  std::erase_if(eligible, [](const MaskedBlock& m) { return m.lanes == 0; });
  return eligible;
}

// Decides where an arm belongs that was added after the survey: to the rest, if
// its bounds lie below the ceiling of the rest, as those of most arms do, or
// else to the fresh arms.
class Sorter {
 public:
  Sorter(const Order& order, const BlockTable& table, FreshArms& fresh)
      : order_(order),
        table_(table),
        terms_(order.snapshot().terms()),
        fresh_(fresh) {}

  void Place(Slot slot) {
    if (BlockOf(slot) != block_) {
      block_ = BlockOf(slot);
      kernels::BoundsOf(table_.Features(block_), terms_, bounds_);
    }
    const std::uint32_t lane = LaneOf(slot);
    if (!order_.IsBelowRest(bounds_.centre[lane], bounds_.width[lane])) {
      fresh_.Add(slot);
    }
  }

 private:
  const Order& order_;
  const BlockTable table_;
  const kernels::BoundTerms terms_;
  FreshArms& fresh_;
  std::uint32_t block_ = std::numeric_limits<std::uint32_t>::max();
  kernels::BlockBounds bounds_;  // of the block
};

}  // namespace

CertifiedFinder::CertifiedFinder(const Index& index, const Limits& limits)
    : index_(index), limits_(limits), scorer_(index.task().objective) {}

std::optional<Hit> CertifiedFinder::Best(const Query& query) {
  FinishSurveyIfEnded();
  if (arms().size() == 0) return std::nullopt;
  scorer_.Take(query);
  if (MustScan(query)) {
    stats_.arms_scored += arms().size();
    return scorer_.Best(index_.store().blocks(), arms().blocks());
  }
  CatchUp();
  const std::uint64_t scored_before = stats_.arms_scored;
  bool certain = true;
  const Hit best = FindBest(query, certain);
  budget_.Earn(stats_.arms_scored - scored_before, certain);
  ConsiderSurvey(query, best.score);
  return best;
}

std::vector<Hit> CertifiedFinder::Top(const Query& query,
                                      const TopRequest& request) {
  FinishSurveyIfEnded();
  if (arms().size() == 0) return {};
  scorer_.Take(query);
  const std::size_t eligible =
      request.among != nullptr ? request.among->size() : arms().size();
  if (MustScan(query) || eligible <= std::max(kFewArms, request.count)) {
    return ScanTop(request);
  }
  CatchUp();
  return FindTop(query, request);
}

bool CertifiedFinder::MustScan(const Query& query) const {
  return objective() == Objective::kOptimism &&
         !IsWellConditioned(*query.factor);
}

void CertifiedFinder::TightenAfterLongWalk(const Query& query) {
  if (last_walk_ > LongWalk(index_.store().dim())) order_->Tighten(query);
}

Hit CertifiedFinder::FindBest(const Query& query, bool& certain) {
  const BlockTable table = index_.store().blocks();
  if (!order_) {
    stats_.arms_scored += arms().size();
    return scorer_.Best(table, arms().blocks());
  }
  Hit best;
  if (!fresh_.blocks().empty()) {
    best = scorer_.Best(table, fresh_.blocks());
    stats_.arms_scored += fresh_.size();
  }
  TightenAfterLongWalk(query);
  const Order::Walk walk =
      order_->FindBest(scorer_, query, index_.store(), best);
  stats_.arms_scored += walk.arms;
  last_walk_ = walk.arms;
  if (!walk.certain) {
    best = scorer_.Best(table, arms().blocks());
    stats_.arms_scored += arms().size();
    last_walk_ += arms().size();
    certain = false;
  }
  return best;
}

std::vector<Hit> CertifiedFinder::FindTop(const Query& query,
                                          const TopRequest& request) {
  const std::uint64_t scored_before = stats_.arms_scored;
  std::vector<Hit> hits;
  bool certain = true;
  if (order_) {
    kernels::TopHits top(request.count);
    const auto fresh = Eligible(fresh_.blocks(), request.among);
    scorer_.Top(index_.store().blocks(), fresh, top);
    TightenAfterLongWalk(query);
    const Order::Walk walk =
        order_->FindTop(scorer_, query, request.among, top);
    stats_.arms_scored += CountArms(fresh) + walk.arms;
    certain = walk.certain;
    if (certain) {
      last_walk_ = walk.arms;
      hits = top.Sorted();
    }
  }
  if (!order_ || !certain) hits = ScanTop(request);
  if (!certain) {
    // That eligible arms are missing among the contenders says nothing about
    // how good the order is for all arms.
    if (request.among != nullptr) return hits;
    last_walk_ = stats_.arms_scored - scored_before;
  }
  budget_.Earn(stats_.arms_scored - scored_before, certain);
  if (!hits.empty()) ConsiderSurvey(query, hits.back().score);
  return hits;
}

std::vector<Hit> CertifiedFinder::ScanTop(const TopRequest& request) {
  ScannedTop top = TopByScan(scorer_, index_.store(), arms(), request);
  stats_.arms_scored += top.arms;
  return std::move(top.hits);
}

// The number of contenders for which there is memory.
std::size_t CertifiedFinder::MostContenders() const {
  if (limits_.max_bytes == 0) return std::numeric_limits<std::size_t>::max();
  const std::size_t dim = index_.store().dim();
  // This much goes to the snapshot, to the last block of contenders, which may
  // be part empty, and to fresh arms (an eighth).
  const std::size_t fixed =
      sizeof(*this) + sizeof(Order) + dim * (dim + 1) * 12 +
      Order::BytesPerContender(dim) * kLanes + limits_.max_bytes / 8;
  if (limits_.max_bytes <= fixed) return 0;
  return (limits_.max_bytes - fixed) / Order::BytesPerContender(dim);
}

void CertifiedFinder::ConsiderSurvey(const Query& query, float threshold) {
  if (survey_ || arms().size() < kFewArms ||
      !budget_.MayPlan(arms().size(), index_.store().dim()) ||
      MostContenders() == 0 || (limits_.background && SurveyPool::IsBusy())) {
    return;
  }
  try {
    std::optional<SurveyPlan> plan = budget_.Plan(
        objective(), {.store = index_.store(),
                      .arms = arms(),
                      .query = query,
                      .threshold = threshold,
                      .in_use = order_ ? &order_->snapshot() : nullptr,
                      .most_contenders = MostContenders()});
    if (plan) StartSurvey(*std::move(plan));
  } catch (const std::bad_alloc&) {
    // Without memory there is no survey, and the finder continues with what it
    // has.
  }
}

void CertifiedFinder::StartSurvey(SurveyPlan plan) {
  auto survey = std::make_unique<SurveyRun>(index_.store(), index_.members(),
                                            std::move(plan));
  if (!limits_.background) {
    survey->RunNow();
  } else if (!survey->StartAside()) {
    return;
  }
  stats_.arms_bounded += arms().size();
  survey_ = std::move(survey);
  FinishSurveyIfEnded();
}

void CertifiedFinder::FinishSurveyIfEnded() {
  if (!survey_ || !survey_->ended()) return;
  const std::unique_ptr<SurveyRun> survey = std::move(survey_);
  stats_.snapshot_seconds += survey->seconds();
  std::unique_ptr<Order> order = survey->TakeOrder();
  if (!order) return;
  ++stats_.snapshots;
  budget_.Surveyed();
  last_walk_ = 0;
  order_ = std::move(order);
  fresh_.Clear();
  seen_ = survey->epoch();
}

// Brings order and fresh arms up to date with the members. A slot that has
// changed is removed from the order, whichever arm the survey saw in it, and
// placed again if there is an arm in it now.
void CertifiedFinder::CatchUp() {
  const Members& members = index_.members();
  if (!order_ || seen_ == members.epoch()) return;
  try {
    if (members.LogReaches(seen_)) {
      CatchUpByLog();
    } else {
      CatchUpByBlocks();
    }
  } catch (const std::bad_alloc&) {
    DropOrder();
    return;
  }
  seen_ = members.epoch();
  // Every choice scores all fresh arms, so if these are most of the arms, an
  // order is no better than a scan.
  const bool full = limits_.max_bytes > 0 && memory_bytes() > limits_.max_bytes;
  if (full || fresh_.size() > arms().size() / 2) DropOrder();
}

void CertifiedFinder::CatchUpByLog() {
  const Members& members = index_.members();
  Sorter sorter(*order_, index_.store().blocks(), fresh_);
  for (const auto& [slot, added] : members.Changes(seen_)) {
    order_->Remove(slot);
    fresh_.Remove(slot);
    if (members.Contains(slot)) sorter.Place(slot);
  }
}

// Used if the log does not reach back far enough. All arms of a block in which
// one has changed are placed again.
void CertifiedFinder::CatchUpByBlocks() {
  const Members& members = index_.members();
  Sorter sorter(*order_, index_.store().blocks(), fresh_);
  for (const std::uint32_t block : members.ChangedBlocks(seen_)) {
    order_->RemoveBlock(block);
    fresh_.RemoveBlock(block);
    ForEachLane(members.arms().lanes(block), [&](std::uint32_t lane) {
      sorter.Place(block * kLanes + lane);
    });
  }
}

void CertifiedFinder::DropOrder() {
  order_.reset();
  fresh_.Clear();
}

std::size_t CertifiedFinder::memory_bytes() const {
  return sizeof(*this) + fresh_.memory_bytes() + budget_.memory_bytes() +
         (order_ ? order_->memory_bytes() : 0);
}

}  // namespace manyarms
