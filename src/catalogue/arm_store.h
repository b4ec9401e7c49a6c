#ifndef MANYARMS_CATALOGUE_ARM_STORE_H_
#define MANYARMS_CATALOGUE_ARM_STORE_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/large_allocator.h"
#include "base/shared_mutex.h"
#include "catalogue/compact_copy.h"
#include "catalogue/id_index.h"
#include "catalogue/members.h"
#include "kernels/blocks.h"
#include "kernels/slot.h"
#include "manyarms/features.h"
#include "manyarms/types.h"

namespace manyarms {

/// The arms: the caller's ids and their feature vectors.
///
/// Arms lie in blocks of 16, transposed: first the 16 values of coordinate 0,
/// then those of coordinate 1, and so on. A vector register holds one
/// coordinate of up to 16 arms. Blocks never move once they are allocated. The
/// slot of a removed arm is given to the next arm that is added.
///
/// Costs: Add and Remove O(d), Find O(1). K arms take about K(4d + 10) bytes
/// for features, ids and membership, and 12 to 18 bytes an arm for the look-up
/// by id. A compact copy, if it is kept, takes about d + 8 bytes an arm.
///
/// A store that was moved from can only be destroyed or assigned to.
///
/// Thread safety: one thread may change the store while any number of threads
/// read it. A reader holds ReadLock() during each call of a const method and
/// for as long as it uses what the method returned. The thread that changes the
/// store needs no lock to read it. A change waits until all current readers
/// have released the lock, and new readers wait for the change.
class ArmStore {
 public:
  /// Throws Error(kInvalidArgument) unless 1 <= dim <= kMaxDim.
  explicit ArmStore(std::size_t dim);
  ~ArmStore();
  ArmStore(ArmStore&&) noexcept;
  ArmStore& operator=(ArmStore&&) noexcept;

  /// Adds arms, a row of features for each. Adds all or none: an error in any
  /// row (a duplicate id, a value that is not finite or beyond kMaxFeature)
  /// leaves the store as it was. Returns the slots of the arms.
  std::vector<Slot> Add(std::span<const ArmId> ids,
                        const FeatureRows& features);
  /// The same for rows of dim() values that follow one another.
  std::vector<Slot> Add(std::span<const ArmId> ids,
                        std::span<const float> features);
  Slot Add(ArmId id, std::span<const float> features);

  /// Gives the arms in these slots other features, a row of dim() values each.
  /// In members(), the arms are removed and added again. REQUIRES: the values
  /// are finite and within kMaxFeature.
  void Replace(std::span<const Slot> slots, std::span<const float> features);

  /// Makes room for this number of arms in total, so that adding them does not
  /// grow the look-up again and again.
  void Reserve(std::size_t arms);

  /// Removes the arms in these slots at once: no reader sees some of them gone.
  /// REQUIRES: an arm lies in each slot, and each slot is given once.
  void Remove(std::span<const Slot> slots);

  /// Removes an arm and returns the slot that it had. Throws kUnknownId.
  Slot Remove(ArmId id);

  std::optional<Slot> Find(ArmId id) const;

  /// The slot of an arm that must be there. Throws kUnknownId.
  Slot At(ArmId id) const;

  /// The slots of arms that must be there, each once. Throws kUnknownId or
  /// kDuplicateId.
  std::vector<Slot> DistinctSlots(std::span<const ArmId> ids) const;

  /// REQUIRES for the next two: an arm lies in `slot`.
  ArmId id(Slot slot) const { return blocks().Id(slot); }
  void CopyFeatures(Slot slot, std::span<float> out) const;

  /// All arms.
  const Members& members() const { return members_; }

  /// From now on, keeps a compact copy of the features (compact_copy.h). O(K)
  /// for the arms that are there already. Tests set `most_bytes`.
  void KeepCompactCopy(std::size_t most_bytes = BlockPool::kUnlimited);

  /// None if none is kept, or if memory ran out for it.
  const CompactCopy* compact_copy() const { return compact_.get(); }

  /// The slots of all arms in ascending order. O(K).
  std::vector<Slot> Slots() const;

  /// The ids of all arms, in the order of their slots. O(K).
  std::vector<ArmId> Ids() const;

  /// Blocks that hold an arm, or once did.
  std::uint32_t block_count() const {
    return BlockOf(slots_used_ + kLanes - 1);
  }

  std::size_t size() const { return members_.size(); }
  std::size_t dim() const { return dim_; }

  /// All bytes held: features, ids, membership, look-up, compact copy and
  /// unused capacity.
  std::size_t memory_bytes() const;

  BlockTable blocks() const {
    return {feature_chunks_.data(), id_chunks_.data(), chunk_shift_, dim_};
  }

  /// Changes wait while it is held.
  std::shared_lock<SharedMutex> ReadLock() const;

  /// Adds arms in these slots, in ascending order; all other slots up to the
  /// largest one are free, and were freed in the given order. REQUIRES: the
  /// store has never had an arm. Throws Error(kInvalidArgument) or
  /// Error(kDuplicateId), and leaves the store as it was.
  void AddPlaced(std::span<const Slot> slots, std::span<const ArmId> ids,
                 std::span<const float> features, std::span<const Slot> free);

  /// Writes arms and slots, so that arms that are added later get the slots
  /// that they would have got without saving and loading.
  void Save(ByteWriter& writer) const;

  /// REQUIRES: the store has the same dimension and has never had an arm.
  void Restore(ByteReader& reader);

 private:
  struct Batch;

  void CheckRoom(std::size_t arms) const;

  // Adding many arms at once (arm_store_many.cc).
  std::optional<std::vector<Slot>> AddMany(std::span<const ArmId> ids,
                                           const FeatureRows& features);
  bool Write(const Batch& batch);
  bool WriteRange(const Batch& batch, std::size_t begin, std::size_t end);
  void Undo(const Batch& batch, bool written);

  void SetFeatures(Slot slot, std::span<const float> features);
  bool Put(Slot slot, ArmId id, std::span<const float> features);
  void AddToCompactCopy(std::span<const Slot> slots);
  void RemoveFromCompactCopy(Slot slot);
  Slot TakeSlot();
  void MakeChunks(std::size_t slots);
  void ClearBlock(std::uint32_t block);
  float* FeaturesOf(Slot slot);
  ArmId* IdOf(Slot slot);

  std::size_t dim_;
  std::uint32_t chunk_shift_;  // log2 of the blocks in a chunk
  std::vector<LargeBuffer<float>> chunks_;
  std::vector<LargeBuffer<ArmId>> id_buffers_;  // each for one or more chunks
  std::vector<const float*> feature_chunks_;    // by chunk, for BlockTable
  std::vector<ArmId*> id_chunks_;
  std::vector<Slot> free_slots_;
  Slot slots_used_ = 0;  // slots below this were given out at least once
  Members members_;
  IdIndex index_;
  std::unique_ptr<CompactCopy> compact_;
  // Held while anything is changed. Behind a pointer, so that stores can move.
  std::unique_ptr<SharedMutex> changing_;
};

}  // namespace manyarms

#endif  // MANYARMS_CATALOGUE_ARM_STORE_H_
