#ifndef MANYARMS_CATALOGUE_COMPACT_COPY_H_
#define MANYARMS_CATALOGUE_COMPACT_COPY_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/large_allocator.h"
#include "catalogue/block_pool.h"
#include "catalogue/group_map.h"
#include "kernels/blocks.h"
#include "kernels/compact.h"
#include "kernels/slot.h"

namespace manyarms {

/// A copy of all arms with 8 bits a feature, arranged by length. It depends on
/// the arms alone, so one copy serves every query (docs/design.md, "First
/// pass").
///
/// Arms of nearly the same length and the same largest feature form a group,
/// which has one scale for all its arms. A group never has holes: the last arm
/// takes the place of one that is removed. So an arm can be added and removed
/// in O(d), and nothing is ever sorted or built again. If memory runs out in a
/// call, the copy can only be destroyed.
///
/// It takes d + 8 bytes an arm (d is rounded up to a multiple of 4), and up to
/// as much again for groups that have just grown.
class CompactCopy {
 public:
  /// Arms that have consecutive compact blocks in memory.
  struct Run {
    const std::uint8_t* blocks;
    const Slot* slots;   ///< by arm
    std::uint32_t arms;  ///< the last block may be partly filled
  };

  /// For every arm x of a group, with q as in kernels/compact.h:
  /// |x| <= length, and |x - scale q| <= error.
  class Group {
   public:
    float length() const { return length_; }
    float scale() const { return scale_; }
    float error() const { return error_; }
    std::uint32_t arms() const { return end_.arm; }

    /// Fetches the first bytes. The processor cannot know them in advance, but
    /// fetches what follows by itself.
    void Prefetch() const {
      if (arms() == 0) return;
      constexpr std::size_t kBytes = 1024;
      for (std::size_t at = 0; at < kBytes; at += 64) {
        __builtin_prefetch(pages_.front().blocks + at);
      }
    }

    /// Calls `visit` with the runs of the group, one after the other, until it
    /// returns false.
    template <class Visit>
    bool ForEachRun(const Visit& visit) const {
      std::uint32_t left = arms();
      for (const Page& page : pages_) {
        if (left == 0) break;
        const std::uint32_t arms = std::min(left, page.room * kLanes);
        if (!visit(Run{page.blocks, page.slots, arms})) return false;
        left -= arms;
      }
      return true;
    }

   private:
    friend class CompactCopy;

    // The first page grows like a vector until it is so large that moving it
    // would take long. From then on pages are added, each as large as all
    // before it, up to a limit. So a small group takes little memory, and a
    // large one is read in long runs.
    struct Page {
      std::uint8_t* blocks;
      Slot* slots;
      std::uint32_t room;  // in blocks
    };

    // An arm's number in the group, its block and the slots of that block, or
    // null if they must be looked up.
    struct Place {
      std::uint32_t arm = 0;
      std::uint8_t* block = nullptr;
      Slot* slots = nullptr;

      std::uint32_t lane() const { return arm % kLanes; }
    };

    float length_ = 0;
    float scale_ = 0;
    float error_ = 0;
    Place end_;  // where the next arm goes
    std::vector<Page> pages_;
  };

  /// Tests set `most_bytes`: if the compact blocks need more, Add throws
  /// std::bad_alloc, after which the copy can only be destroyed.
  explicit CompactCopy(std::size_t dim,
                       std::size_t most_bytes = BlockPool::kUnlimited);
  CompactCopy(const CompactCopy&) = delete;
  CompactCopy& operator=(const CompactCopy&) = delete;

  /// Adds the arms in these slots of the store. Many of them are added on
  /// several threads, with the same result as one after the other. REQUIRES:
  /// they are not in the copy.
  void Add(std::span<const Slot> slots, const BlockTable& store);

  /// REQUIRES: the slot is in the copy, and has the features with which it was
  /// added.
  void Remove(Slot slot, const BlockTable& store);

  /// Groups with arms and those that once had some, the longest arms first.
  std::span<const Group* const> groups() const { return by_length_; }

  std::size_t size() const { return arms_; }
  std::size_t dim() const { return dim_; }
  std::size_t memory_bytes() const;

 private:
  using Place = Group::Place;
  using Keys = std::array<GroupKey, kLanes>;

  // More arms than this are added on several threads, in ranges of this size.
  // A range takes several times as long as starting a thread.
  static constexpr std::size_t kRange = std::size_t{16} << 10;
  class Addition;  // of many arms (compact_copy_many.cc)

  void AddBlock(std::span<const Slot> slots, const float* features);
  void AddMany(std::span<const Slot> slots, const BlockTable& store);

  Keys KeysOf(const float* features) const;
  Group& GroupOf(GroupKey key);
  Group& MakeGroup(GroupKey key);
  Place PlaceOf(const Group& group, std::uint32_t arm) const;
  void MakeRoom(Group& group, std::uint32_t arms);
  void MakePositions(Slot last);
  void ClearBlock(const Place& place);
  void Put(const Group& group, Place& next, Slot slot,
           const std::uint8_t* compact);
  void DropSparePage(Group& group);
  void Free(const Group::Page& page);
  std::uint32_t& PositionOf(Slot slot);

  // Immutable after construction.
  const std::size_t dim_;
  const std::size_t block_bytes_;
  const std::uint32_t first_page_;  // in blocks, when it is full; a power of 2
  const std::uint32_t last_page_;   // and those of the largest pages

  std::size_t arms_ = 0;
  BlockPool block_pool_;
  BlockPool slot_pool_;  // kLanes slots are a block
  GroupMap<Group> groups_;
  std::vector<const Group*> by_length_;
  LargeBuffer<std::uint8_t> scratch_;  // a compact block
  // By slot: the arm's number in its group.
  std::vector<std::uint32_t*> positions_;
  std::vector<LargeBuffer<std::uint32_t>> position_buffers_;
};

}  // namespace manyarms

#endif  // MANYARMS_CATALOGUE_COMPACT_COPY_H_
