#ifndef MANYARMS_CATALOGUE_ARM_STORE_H_
#define MANYARMS_CATALOGUE_ARM_STORE_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <vector>

#include "manyarms/features.h"
#include "manyarms/types.h"

namespace manyarms {

class ByteReader;  // src/base/bytes.h
class ByteWriter;
struct BlockTable;  // src/kernels/blocks.h: how vector kernels see the arms
class IdIndex;      // src/catalogue/id_index.h

/// The arms: the caller's ids and their feature vectors.
///
/// Arms lie in blocks of 16, transposed: first the 16 values of coordinate 0,
/// then those of coordinate 1, and so on. A vector register takes one
/// coordinate of up to 16 arms at once. Blocks never move once they are
/// allocated. A removed arm's slot is given to the next arm that is added.
///
/// Costs: Add and Remove O(d), Find O(1); K arms take about K(4d + 8) bytes
/// for features and ids and 12 to 18 bytes an arm for the look-up by id.
///
/// A catalogue that was moved from can be destroyed or assigned to, nothing
/// else.
///
/// Thread safety: const methods may be called from any number of threads while
/// nobody calls a non-const one. A thread that holds ReadLock() may read
/// through blocks() at any time: Add waits for it. What it sees of an arm that
/// was removed meanwhile may be the features of another.
class ArmStore {
 public:
  /// Throws Error(kInvalidArgument) unless 1 <= dim <= kMaxDim.
  explicit ArmStore(std::size_t dim);
  ~ArmStore();
  ArmStore(ArmStore&&) noexcept;
  ArmStore& operator=(ArmStore&&) noexcept;

  /// Adds arms, a row of features for each. All or none: an error in any row
  /// (a duplicate id, a value that is not finite or beyond kMaxFeature) leaves
  /// the catalogue as it was. Returns the arms' slots.
  std::vector<Slot> Add(std::span<const ArmId> ids,
                        const FeatureRows& features);
  /// The same for rows of dim() values that follow one another.
  std::vector<Slot> Add(std::span<const ArmId> ids,
                        std::span<const float> features);
  Slot Add(ArmId id, std::span<const float> features);

  /// Gives the arms in these slots other features, a row of dim() values each.
  /// REQUIRES: the values are finite and within kMaxFeature.
  void Replace(std::span<const Slot> slots, std::span<const float> features);

  /// Makes room for so many arms in all, so that adding them does not have to
  /// again and again.
  void Reserve(std::size_t arms);

  /// Removes an arm and returns the slot that it had. Throws kUnknownId.
  Slot Remove(ArmId id);

  std::optional<Slot> Find(ArmId id) const;

  /// The slot of an arm that must be there. Throws kUnknownId.
  Slot At(ArmId id) const;

  /// REQUIRES for the next two: an arm lives in `slot`.
  ArmId id(Slot slot) const;
  void CopyFeatures(Slot slot, std::span<float> out) const;

  /// For each block the lanes that hold an arm, as bits. O(K).
  std::vector<std::uint32_t> LivingLanes() const;

  std::size_t size() const;
  std::size_t dim() const { return dim_; }

  /// All bytes held: features, ids, look-up and unused capacity.
  std::size_t memory_bytes() const;

  BlockTable blocks() const;

  /// Keeps Add waiting: to be held by threads other than the one that changes
  /// the catalogue, and briefly.
  std::shared_lock<std::shared_mutex> ReadLock() const;

  /// Writes arms and slots, so that arms that come later get the slots that
  /// they would have got without.
  void Save(ByteWriter& writer) const;

  /// REQUIRES: the catalogue has the same dimension and has never had an arm.
  void Restore(ByteReader& reader);

 private:
  struct Chunk;

  void CheckRoom(std::size_t arms) const;
  void SetFeatures(Slot slot, std::span<const float> features);
  bool Put(Slot slot, ArmId id, std::span<const float> features);
  Slot TakeSlot();
  float* FeaturesOf(Slot slot);

  std::size_t dim_;
  std::uint32_t chunk_shift_;  // log2 of the blocks in a chunk
  std::vector<Chunk> chunks_;
  std::vector<const float*> feature_chunks_;  // of chunks_, for BlockTable
  std::vector<const ArmId*> id_chunks_;
  std::vector<Slot> free_slots_;
  Slot slots_used_ = 0;  // slots below this were given out at least once
  std::unique_ptr<IdIndex> index_;
  // Held while blocks are written. Behind a pointer, so that catalogues move.
  std::unique_ptr<std::shared_mutex> writing_;
};

}  // namespace manyarms

#endif  // MANYARMS_CATALOGUE_ARM_STORE_H_
