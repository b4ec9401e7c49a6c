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

// Those of the arms that cannot join the rest of the order. Most new arms
// cannot be better than the best of the rest, and join.
std::vector<MaskedBlock> AboveRest(const BlockTable& table, const ArmSet& arms,
                                   const Order& order,
                                   std::span<const MaskedBlock> changed) {
  const kernels::BoundTerms terms = order.snapshot().terms();
  kernels::BlockBounds bounds;
  std::vector<MaskedBlock> above;
  for (const auto& [block, lanes] : changed) {
    const std::uint32_t present = lanes & arms.lanes(block);
    if (present == 0) continue;
    kernels::BoundsOf(table.Features(block), terms, bounds);
    std::uint32_t fresh = 0;
    ForEachLane(present, [&](std::uint32_t lane) {
      if (!order.IsBelowRest(bounds.centre[lane], bounds.width[lane])) {
        fresh |= 1U << lane;
      }
    });
    if (fresh != 0) above.push_back({.block = block, .lanes = fresh});
  }
  return above;
}

}  // namespace

CertifiedFinder::CertifiedFinder(const Index& index, const Limits& limits)
    : index_(index),
      limits_(limits),
      scorer_(index.task().objective),
      first_pass_(index.task().objective) {}

std::optional<Hit> CertifiedFinder::Best(const Query& query) {
  FinishSurveyIfEnded();
  if (arms().size() == 0) return std::nullopt;
  TakeQuery(query);
  if (MayNotUseOrder(query)) return BestOfAll(query, kernels::kNoBar);
  CatchUp();
  const std::uint64_t work_before = Work();
  bool certain = true;
  const Hit best = FindBest(query, certain);
  last_walk_ = Work() - work_before;
  budget_.Earn(last_walk_, certain);
  ConsiderSurvey(query, best.score);
  return best;
}

std::vector<Hit> CertifiedFinder::Top(const Query& query,
                                      const TopRequest& request) {
  FinishSurveyIfEnded();
  if (arms().size() == 0) return {};
  TakeQuery(query);
  const std::size_t eligible =
      request.among != nullptr ? request.among->size() : arms().size();
  if (eligible <= std::max(kFewArms, request.count)) return ScanTop(request);
  if (MayNotUseOrder(query)) return TopOfAll(query, request, kernels::kNoBar);
  CatchUp();
  return FindTop(query, request);
}

void CertifiedFinder::TakeQuery(const Query& query) {
  scorer_.Take(query);
  if (!limits_.one_asker) first_pass_.ForgetBelief();
}

// The bounds of an order are those of one asker's belief, and assume a
// well-conditioned factor. Those of a first pass do neither.
bool CertifiedFinder::MayNotUseOrder(const Query& query) const {
  return !limits_.one_asker || (objective() != Objective::kInnerProduct &&
                                !IsWellConditioned(*query.factor));
}

bool CertifiedFinder::has_compact_copy() const {
  return limits_.first_pass && index_.has_all_arms() &&
         index_.store().compact_copy() != nullptr;
}

// What all choices have cost, in arms scored by a scan.
std::uint64_t CertifiedFinder::Work() const {
  return price_ / (index_.store().dim() * sizeof(float));
}

void CertifiedFinder::Count(const SearchCost& cost) {
  stats_.arms_scored += cost.arms;
  stats_.bytes_read += cost.bytes;
  price_ += cost.price;
}

// Blocks are read as wholes, however few of their arms count.
void CertifiedFinder::CountScored(std::uint64_t arms, std::uint64_t blocks) {
  const std::uint64_t bytes =
      blocks * kLanes * index_.store().dim() * sizeof(float);
  Count({.arms = arms, .bytes = bytes, .price = bytes});
}

void CertifiedFinder::TightenAfterLongWalk(const Query& query) {
  if (last_walk_ > LongWalk(index_.store().dim())) order_->Tighten(query);
}

FirstPass::Request CertifiedFinder::PassRequest(const ArmSet* eligible) const {
  return {.store = index_.store(),
          .arms = arms(),
          .all_arms = index_.has_all_arms(),
          .eligible = eligible};
}

// The best arm, by a first pass or a scan. REQUIRES: it is not below the bar.
Hit CertifiedFinder::BestOfAll(const Query& query, float bar) {
  if (has_compact_copy()) {
    kernels::TopHits top(1, bar);
    SearchCost cost;
    const bool found =
        first_pass_.Find(PassRequest(nullptr), scorer_, query, top, cost);
    Count(cost);
    if (found && top.full()) {
      ++stats_.first_passes;
      return top.entries().front().hit;
    }
    bar = top.bar();
  }
  CountScored(arms().size(), arms().blocks().size());
  return scorer_.Best(index_.store().blocks(), arms().blocks(), bar);
}

Hit CertifiedFinder::FindBest(const Query& query, bool& certain) {
  if (!order_) return BestOfAll(query, kernels::kNoBar);
  Hit best;
  if (!fresh_.blocks().empty()) {
    best = scorer_.Best(index_.store().blocks(), fresh_.blocks());
    CountScored(fresh_.size(), fresh_.blocks().size());
  }
  TightenAfterLongWalk(query);
  const Order::Walk walk =
      order_->FindBest(scorer_, query, index_.store(), best);
  CountScored(walk.arms, walk.blocks);
  certain = walk.certain;
  return certain ? best : BestOfAll(query, best.score);
}

// The top k, by a first pass or a scan. Arms below the bar are not among them.
std::vector<Hit> CertifiedFinder::TopOfAll(const Query& query,
                                           const TopRequest& request,
                                           float bar) {
  if (has_compact_copy()) {
    kernels::TopHits top(request.count, bar);
    SearchCost cost;
    const bool found =
        first_pass_.Find(PassRequest(request.among), scorer_, query, top, cost);
    Count(cost);
    if (found) {
      ++stats_.first_passes;
      return top.Sorted();
    }
  }
  return ScanTop(request);
}

std::vector<Hit> CertifiedFinder::FindTop(const Query& query,
                                          const TopRequest& request) {
  const std::uint64_t work_before = Work();
  std::vector<Hit> hits;
  bool certain = true;
  if (order_) {
    kernels::TopHits top(request.count);
    const auto fresh = Eligible(fresh_.blocks(), request.among);
    scorer_.Top(index_.store().blocks(), fresh, top);
    TightenAfterLongWalk(query);
    const Order::Walk walk =
        order_->FindTop(scorer_, query, request.among, top);
    CountScored(CountArms(fresh) + walk.arms, fresh.size() + walk.blocks);
    certain = walk.certain;
    hits = certain ? top.Sorted() : TopOfAll(query, request, top.bar());
  } else {
    hits = TopOfAll(query, request, kernels::kNoBar);
  }
  // That eligible arms are missing among the contenders says nothing about how
  // good the order is for all arms.
  if (!certain && request.among != nullptr) return hits;
  last_walk_ = Work() - work_before;
  budget_.Earn(last_walk_, certain);
  if (!hits.empty()) ConsiderSurvey(query, hits.back().score);
  return hits;
}

std::vector<Hit> CertifiedFinder::ScanTop(const TopRequest& request) {
  ScannedTop top = TopByScan(scorer_, index_.store(), arms(), request);
  CountScored(top.arms, top.blocks);
  return std::move(top.hits);
}

// The number of contenders for which there is memory.
std::size_t CertifiedFinder::MostContenders() const {
  if (limits_.max_bytes == 0) return std::numeric_limits<std::size_t>::max();
  const std::size_t dim = index_.store().dim();
  // The snapshot, the query, the last block of contenders, and an eighth for
  // fresh arms.
  const std::size_t fixed =
      sizeof(*this) + sizeof(Order) + dim * (dim + 1) * 12 +
      scorer_.memory_bytes() + first_pass_.memory_bytes() +
      Order::BytesPerContender(dim) * kLanes + limits_.max_bytes / 8;
  if (limits_.max_bytes <= fixed) return 0;
  return (limits_.max_bytes - fixed) / Order::BytesPerContender(dim);
}

std::uint64_t CertifiedFinder::LeastPassPrice() const {
  return has_compact_copy() ? CompactPassPrice(arms().size())
                            : PassPrice(arms().size(), index_.store().dim());
}

void CertifiedFinder::ConsiderSurvey(const Query& query, float threshold) {
  if (order_ && budget_.OrderIsUseless()) {
    DropOrder();
    budget_.DroppedUselessOrder();
  }
  if (survey_ || arms().size() < kFewArms ||
      !budget_.MayPlan(LeastPassPrice(), index_.store().dim()) ||
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
                      .most_contenders = MostContenders(),
                      .has_compact_copy = has_compact_copy()});
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
  budget_.Pay();
  stats_.arms_bounded += arms().size();
  survey_ = std::move(survey);
  FinishSurveyIfEnded();
}

void CertifiedFinder::FinishSurveyIfEnded() {
  if (!survey_ || !survey_->ended()) return;
  const std::unique_ptr<SurveyRun> survey = std::move(survey_);
  stats_.snapshot_seconds += survey->seconds();
  std::unique_ptr<Order> order = survey->TakeOrder();
  if (!order) {
    budget_.GivenUp();
    return;
  }
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
    const std::vector<MaskedBlock> changed = members.ChangedSlots(seen_);
    for (const MaskedBlock& masked : changed) order_->Remove(masked);
    fresh_.Replace(changed, AboveRest(index_.store().blocks(), members.arms(),
                                      *order_, changed));
  } catch (const std::bad_alloc&) {
    DropOrder();
    return;
  }
  seen_ = members.epoch();
  // Every choice scores all fresh arms, so if these are most of the arms, an
  // order is no better than a scan.
  const bool full = limits_.max_bytes > 0 && HeldBytes() > limits_.max_bytes;
  if (full || fresh_.size() > arms().size() / 2) DropOrder();
}

void CertifiedFinder::DropOrder() {
  order_.reset();
  fresh_.Clear();
}

// What the limit is for. A survey that has ended is not part of it, because the
// next question replaces the order by the survey's.
std::size_t CertifiedFinder::HeldBytes() const {
  return sizeof(*this) + fresh_.memory_bytes() + budget_.memory_bytes() +
         scorer_.memory_bytes() + first_pass_.memory_bytes() +
         (order_ ? order_->memory_bytes() : 0);
}

std::size_t CertifiedFinder::memory_bytes() const {
  return HeldBytes() + (survey_ ? survey_->memory_bytes() : 0);
}

}  // namespace manyarms
