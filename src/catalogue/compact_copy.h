#ifndef MANYARMS_CATALOGUE_COMPACT_COPY_H_
#define MANYARMS_CATALOGUE_COMPACT_COPY_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/large_allocator.h"
#include "catalogue/block_pool.h"
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
/// in O(d), and nothing is ever sorted or built again.
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
    std::uint32_t arms() const { return arms_; }

    /// Fetches the first bytes, which the processor cannot foresee. It does the
    /// following ones.
    void Prefetch() const {
      if (arms_ == 0) return;
      constexpr std::size_t kBytes = 512;
      for (std::size_t at = 0; at < kBytes; at += 64) {
        __builtin_prefetch(pages_.front().blocks + at);
      }
    }

    /// Calls `visit` with the runs of the group, one after the other, until it
    /// returns false.
    template <class Visit>
    bool ForEachRun(const Visit& visit) const {
      std::uint32_t left = arms_;
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

    float length_ = 0;
    float scale_ = 0;
    float error_ = 0;
    std::uint32_t arms_ = 0;
    std::vector<Page> pages_;
    // The block of the next arm and its slots; null if it must be looked up.
    std::uint8_t* next_block_ = nullptr;
    Slot* next_slots_ = nullptr;
  };

  explicit CompactCopy(std::size_t dim);
  CompactCopy(const CompactCopy&) = delete;
  CompactCopy& operator=(const CompactCopy&) = delete;

  /// Adds the arms in some lanes of a block of the store. REQUIRES: they are
  /// not in the copy.
  void Add(const MaskedBlock& masked, const float* features);

  /// REQUIRES: the slot is in the copy, and the features of its block are those
  /// with which it was added.
  void Remove(Slot slot, const float* features);

  /// Groups with arms and those that once had some, the longest arms first.
  std::span<const Group* const> groups() const { return by_length_; }

  std::size_t size() const { return arms_; }
  std::size_t dim() const { return dim_; }
  std::size_t memory_bytes() const;

 private:
  // Where an arm of a group lies.
  struct Place {
    std::uint8_t* block;
    std::uint32_t lane;
    Slot* slot;
  };
  Place PlaceOf(Group& group, std::uint32_t arm) const;

  Group& GroupOf(float length, float peak);
  Group& MakeGroup(std::uint32_t length_key, std::uint32_t peak_key);
  void Append(Group& group, Slot slot, const std::uint8_t* compact,
              float error);
  void MakeRoom(Group& group);
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
  std::unordered_map<std::uint32_t, std::unique_ptr<Group>> groups_;
  // Groups that were used last, by the last bits of their keys.
  struct Recent {
    std::uint32_t key = 0;
    Group* group = nullptr;
  };
  std::array<Recent, 256> recent_;
  std::vector<const Group*> by_length_;
  LargeBuffer<std::uint8_t> scratch_;  // a compact block
  // By slot: the arm's number in its group.
  std::vector<std::unique_ptr<std::uint32_t[]>> positions_;
};

}  // namespace manyarms

#endif  // MANYARMS_CATALOGUE_COMPACT_COPY_H_
