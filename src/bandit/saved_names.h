#ifndef MANYARMS_BANDIT_SAVED_NAMES_H_
#define MANYARMS_BANDIT_SAVED_NAMES_H_

#include "base/bytes.h"
#include "catalogue/arm_store.h"
#include "manyarms/names.h"

namespace manyarms {

/// Throws Error(kInvalidArgument) if there are names, but not those of exactly
/// these arms. `names` may be null.
void CheckNames(const Names* names, const ArmStore& store);

/// Writes the names that callers have for arms; null stands for none.
void SaveNames(ByteWriter& writer, const Names* names);

/// Throws Error(kCorrupt) if there are names, but not those of exactly these
/// arms.
Names LoadNames(ByteReader& reader, const ArmStore& store);

}  // namespace manyarms

#endif  // MANYARMS_BANDIT_SAVED_NAMES_H_
