#ifndef MANYARMS_BANDIT_SAVED_OPTIONS_H_
#define MANYARMS_BANDIT_SAVED_OPTIONS_H_

#include "base/bytes.h"
#include "manyarms/bandit.h"

namespace manyarms {

void SaveOptions(ByteWriter& writer, const BanditOptions& options);
BanditOptions LoadOptions(ByteReader& reader);

}  // namespace manyarms

#endif  // MANYARMS_BANDIT_SAVED_OPTIONS_H_
