#ifndef MANYARMS_SEARCH_BUILT_INDEX_H_
#define MANYARMS_SEARCH_BUILT_INDEX_H_

#include <mutex>
#include <span>
#include <vector>

#include "base/shared_mutex.h"
#include "search/search.h"

namespace manyarms {

/// An index that builds graphs or trees over its arms. All finders share them,
/// one at a time.
///
/// A change happens in members() first, and in graphs and trees when the index
/// is told. In between, finders may be asked by other threads. Graphs that are
/// behind may find arms that are gone; graphs that were built at that moment
/// would contain the change already, and get it once more when the index is
/// told. So the index knows the epoch of members() that graphs and trees have
/// reached. While they are behind, they are neither asked nor built, and
/// answers come from scans. (This lasts until the next change if a change that
/// the store began and undid, because memory ran out, was never told.)
class BuiltIndex : public Index {
 public:
  /// The arms in graphs or trees, in ascending order. None while nothing is
  /// built. For tests: takes no lock.
  virtual std::vector<Slot> BuiltArms() const = 0;

 protected:
  using Index::Index;

  /// Held by whoever uses graphs or trees. Insert, Erase and EraseAll are
  /// called with it.
  std::unique_lock<SharedMutex> Lock() { return std::unique_lock(mutex_); }

  /// Whether graphs and trees have all changes of members(), and so may be
  /// asked and built. REQUIRES: Lock() is held.
  bool up_to_date() const { return reached_ == members().epoch(); }

 private:
  virtual void Insert(std::span<const Slot> slots) = 0;
  virtual void Erase(Slot slot) = 0;
  virtual void EraseAll() = 0;

  void MembersChanged(std::span<const Slot> removed,
                      std::span<const Slot> added) final;
  void MembersCleared() final;

  SharedMutex mutex_{LockLevel::kIndex};
  Epoch reached_ = 0;  // of members(), by graphs and trees; guarded by mutex_
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_BUILT_INDEX_H_
