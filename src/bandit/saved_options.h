#ifndef MANYARMS_BANDIT_SAVED_OPTIONS_H_
#define MANYARMS_BANDIT_SAVED_OPTIONS_H_

#include <cstdint>

#include "base/bytes.h"
#include "manyarms/bandit.h"

namespace manyarms {

/// The newest format of bandits' files. Fields of options know the first that
/// has them.
inline constexpr std::uint32_t kBanditFormat = 6;

void SaveOptions(ByteWriter& writer, const BanditOptions& options);

/// Reads the options of a file of the given format. Options that the format
/// does not have get their defaults. Bounds are not checked here, but when a
/// bandit is made with the options.
BanditOptions LoadOptions(ByteReader& reader, std::uint32_t format);

}  // namespace manyarms

#endif  // MANYARMS_BANDIT_SAVED_OPTIONS_H_
