#ifndef MANYARMS_PYTHON_ID_RANGE_H_
#define MANYARMS_PYTHON_ID_RANGE_H_

#include <cstddef>
#include <span>

#include "manyarms/types.h"

namespace manyarms::python {

/// Ids one after another, from `first` on.
struct IdRange {
  ArmId first = 0;
  std::size_t count = 0;
};

/// Knows whether the ids of all arms are a range, as long as arms come and go
/// at its ends. Then a range of all of them is recognised without looking at
/// each.
class AllIds {
 public:
  /// Begins with these arms, in any order, none of them twice.
  void Assign(std::span<const ArmId> ids);
  /// Arms that were not there.
  void Add(std::span<const ArmId> ids);
  /// Arms that were there, none of them twice.
  void Remove(std::span<const ArmId> ids);

  /// If not, the range may yet have all ids: it is not known.
  bool Are(const IdRange& range) const {
    return known_ && range.first == all_.first && range.count == all_.count;
  }

 private:
  bool known_ = true;
  IdRange all_;  // unless known, only the count is right
};

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_ID_RANGE_H_
