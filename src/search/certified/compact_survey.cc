#include "search/certified/compact_survey.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "search/certified/coarse_bounds.h"

namespace manyarms {
namespace {

// What is read under one lock, so that Add waits for some microseconds, and for
// some tens of microseconds where all of it needs fine bounds.
constexpr std::size_t kBatchBytes = std::size_t{32} << 10;
constexpr std::size_t kMostBlocks = 128;

float RoundedUp(double value) {
  return std::nextafter(static_cast<float>(value),
                        std::numeric_limits<float>::infinity());
}

// Goes through the arms of groups from the last to the first. In between, the
// arms may change: the last arm of a group may take the place of one that was
// removed. So an arm that has not changed may be met twice, but none is left
// out, because arms only ever move from where the survey has been to where it
// is going.
class Reader {
 public:
  Reader(const ArmStore& store, const SurveyPlan& plan, SurveyLocks locks,
         const std::atomic<bool>& cancelled, Collected& collected)
      : store_(store),
        plan_(plan),
        locks_(locks),
        cancelled_(cancelled),
        collected_(collected),
        bounds_(plan.snapshot),
        block_bytes_(kernels::CompactBlockBytes(store.dim())),
        batch_(static_cast<std::uint32_t>(std::clamp<std::size_t>(
            kBatchBytes / block_bytes_, 1, kMostBlocks))),
        // Twice as many as expected, and what the sample may have missed.
        most_survivors_(2 * plan.survivors + 1024) {}

  bool Read() {
    std::vector<const CompactCopy::Group*> groups;
    {
      const std::shared_lock<SharedMutex> lock = Lock();
      copy_ = store_.compact_copy();
      if (copy_ == nullptr) return false;
      groups.assign(copy_->groups().begin(), copy_->groups().end());
    }
    for (const CompactCopy::Group* group : groups) {
      if (!ReadGroup(*group)) return false;
    }
    return true;
  }

 private:
  std::shared_lock<SharedMutex> Lock() const {
    return locks_ == SurveyLocks::kBySurvey ? store_.ReadLock()
                                            : std::shared_lock<SharedMutex>();
  }

  bool ReadGroup(const CompactCopy::Group& group) {
    std::uint32_t left = std::numeric_limits<std::uint32_t>::max();  // arms
    while (left > 0) {
      const std::shared_lock<SharedMutex> lock = Lock();
      if (cancelled_ || collected_.too_many() || survivors_ > most_survivors_ ||
          store_.compact_copy() != copy_) {
        return false;
      }
      left = std::min(left, group.arms());
      const std::uint32_t blocks = (left + kLanes - 1) / kLanes;
      const std::uint32_t first = blocks - std::min(blocks, batch_);
      ReadBlocks(group, first, blocks, left);
      left = first * kLanes;
    }
    return true;
  }

  // Reads blocks [first, end) of a group, as far as they have arms below
  // number `arms`.
  void ReadBlocks(const CompactCopy::Group& group, std::uint32_t first,
                  std::uint32_t end, std::uint32_t arms) {
    if (first == end) return;
    const std::int32_t threshold =
        bounds_.Threshold(group, *plan_.coarse_radius, plan_.cutoff);
    if (threshold > -kernels::kMostCompact) {  // some arms may be below it
      Raise(collected_.rest(),
            CeilingOf(collected_.terms().radii,
                      RoundedUp(bounds_.CentreAt(group, threshold)),
                      RoundedUp(bounds_.Width(group))));
    }
    std::uint32_t before = 0;  // blocks of earlier runs
    group.ForEachRun([&](const CompactCopy::Run& run) {
      const std::uint32_t blocks = (run.arms + kLanes - 1) / kLanes;
      const std::uint32_t from = std::max(first, before);
      const std::uint32_t to = std::min(end, before + blocks);
      if (from < to) {
        const std::size_t entries = kernels::CompactReaching(
            run.blocks + (from - before) * block_bytes_, to - from,
            bounds_.direction(), threshold, reaching_);
        for (std::size_t i = 0; i < entries; ++i) {
          const std::uint32_t block = from + reaching_[i].block;
          const std::size_t within = block - before;
          PlaceSurvivors(group, run.blocks + within * block_bytes_,
                         run.slots + within * kLanes,
                         reaching_[i].lanes & LanesBelow(arms, block));
        }
      }
      before += blocks;
      return before < end;
    });
  }

  // The lanes of a block whose arms have a number below `arms`.
  static std::uint32_t LanesBelow(std::uint32_t arms, std::uint32_t block) {
    const std::uint32_t left = arms - block * kLanes;
    return left >= kLanes ? kAllLanes : (1U << left) - 1;
  }

  // Makes arms of a compact block some of the rest by their fine bounds, or
  // looks at the arms themselves if these are too high. That takes much longer:
  // their features are anywhere in memory.
  void PlaceSurvivors(const CompactCopy::Group& group,
                      const std::uint8_t* compact, const Slot* slots,
                      std::uint32_t lanes) {
    ++survivors_;
    const kernels::SurveyTerms& terms = collected_.terms();
    kernels::BlockBounds fine;
    bounds_.Of(group, compact, fine);
    ForEachLane(lanes, [&](std::uint32_t lane) {
      const float centre = fine.centre[lane];
      const float width = fine.width[lane];
      if (centre + terms.radius * width < terms.cutoff) {
        Raise(collected_.rest(), CeilingOf(terms.radii, centre, width));
      } else {
        Place(slots[lane]);
      }
    });
  }

  // Computes the bounds of an arm, and makes it a contender or one of the rest.
  void Place(Slot slot) {
    const BlockTable table = store_.blocks();
    const float* block = table.Features(BlockOf(slot));
    const std::uint32_t lane = LaneOf(slot);
    kernels::BlockBounds bounds;
    const kernels::SurveyTerms& terms = collected_.terms();
    kernels::BoundsOf(block, terms.bounds, bounds);
    const float centre = bounds.centre[lane];
    const float width = bounds.width[lane];
    // Not written as >=, so that NaN counts as reached.
    if (!(centre + terms.radius * width < terms.cutoff)) {
      collected_.Add({.centre = centre,
                      .width = width,
                      .slot = slot,
                      .id = table.Id(slot)},
                     block, lane);
    } else {
      Raise(collected_.rest(), CeilingOf(terms.radii, centre, width));
    }
  }

  const ArmStore& store_;
  const SurveyPlan& plan_;
  const SurveyLocks locks_;
  const std::atomic<bool>& cancelled_;
  Collected& collected_;
  CoarseBounds bounds_;
  const std::size_t block_bytes_;
  const std::uint32_t batch_;         // blocks
  const std::size_t most_survivors_;  // blocks

  const CompactCopy* copy_ = nullptr;
  std::size_t survivors_ = 0;  // blocks
  std::array<MaskedBlock, kMostBlocks> reaching_;
};

}  // namespace

bool ReadCompactCopy(const ArmStore& store, const SurveyPlan& plan,
                     SurveyLocks locks, const std::atomic<bool>& cancelled,
                     Collected& collected) {
  if (!Reader(store, plan, locks, cancelled, collected).Read()) return false;
  collected.DropRepeated();
  return !collected.too_many();
}

}  // namespace manyarms
