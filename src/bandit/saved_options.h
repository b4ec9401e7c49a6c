#ifndef MANYARMS_BANDIT_SAVED_OPTIONS_H_
#define MANYARMS_BANDIT_SAVED_OPTIONS_H_

#include <cstdint>

#include "base/bytes.h"
#include "manyarms/bandit.h"

namespace manyarms {

void SaveOptions(ByteWriter& writer, const BanditOptions& options);

/// Of a file of the given format. Options that the format does not have yet
/// get their defaults. Numbers out of bounds are left to those who make a
/// bandit of the options.
BanditOptions LoadOptions(ByteReader& reader, std::uint32_t format);

}  // namespace manyarms

#endif  // MANYARMS_BANDIT_SAVED_OPTIONS_H_
