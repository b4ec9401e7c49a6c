#ifndef MANYARMS_CATALOGUE_MEMBERS_H_
#define MANYARMS_CATALOGUE_MEMBERS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/arm_set.h"

namespace manyarms {

/// The number of changes to a set of arms so far.
using Epoch = std::uint64_t;

/// A set of arms and its changes: whoever derived something from it at one
/// epoch can learn later what has changed since. A log has the last changes,
/// for those who ask often. For those who ask after more changes than the log
/// holds, each block of arms has the epoch of its last change.
///
/// It takes about 2 bytes an arm: one for the set, half a byte for the epochs,
/// and the log, which has at least one entry for each block.
class Members {
 public:
  /// REQUIRES: the slot is not a member.
  void Add(Slot slot);

  /// The same for several; faster for very many.
  void Add(std::span<const Slot> slots);

  /// REQUIRES: the slot is a member.
  void Remove(Slot slot);

  void Clear();

  const ArmSet& arms() const { return arms_; }
  std::size_t size() const { return arms_.size(); }
  bool Contains(Slot slot) const { return arms_.Contains(slot); }

  Epoch epoch() const { return log_start_ + log_.size(); }

  /// Whether the log has all changes since then.
  bool LogReaches(Epoch since) const { return since >= log_start_; }

  struct Change {
    Slot slot;
    bool added;  ///< or removed
  };

  /// All changes since then, the oldest first. REQUIRES: LogReaches(since).
  std::span<const Change> Changes(Epoch since) const {
    return std::span(log_).subspan(since - log_start_);
  }

  /// The blocks in which a slot was added or removed since then, each once,
  /// blocks without members included. O(blocks).
  std::vector<std::uint32_t> ChangedBlocks(Epoch since) const;

  /// The slots that were added or removed since then, by block in ascending
  /// order. Where the log does not reach back, all lanes of changed blocks.
  std::vector<MaskedBlock> ChangedSlots(Epoch since) const;

  std::size_t memory_bytes() const;

 private:
  std::size_t LogLength() const;
  void Note(const Change& change);

  ArmSet arms_;
  std::vector<Epoch> changed_;  // by block: the epoch after its last change
  std::vector<Change> log_;     // of the changes from log_start_ on
  Epoch log_start_ = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_CATALOGUE_MEMBERS_H_
