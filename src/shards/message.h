#ifndef MANYARMS_SHARDS_MESSAGE_H_
#define MANYARMS_SHARDS_MESSAGE_H_

#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "bandit/checked_file.h"
#include "base/bytes.h"

/// What learners and shards send each other: like a file, a message begins with
/// a magic word and the number of its format, and ends with a checksum.
namespace manyarms {

inline constexpr std::uint32_t kMessageFormat = 1;

/// A message of what `write` writes.
template <class Write>
std::string WriteMessage(const MagicWord& kind, const Write& write) {
  std::ostringstream out;
  ByteWriter writer(out);
  writer.Values(std::span<const char>(kind));
  writer.Transfer(kMessageFormat);
  write(writer);
  writer.Transfer(writer.checksum());
  return std::move(out).str();
}

/// Reads a message with `read`, which must read all of it. Throws
/// Error(kCorrupt) for bytes that are no such message, and Error(kUnsupported)
/// for one of a later version.
template <class Read>
void ReadMessage(std::string_view bytes, const MagicWord& kind,
                 const Read& read) {
  std::istringstream in{std::string(bytes)};
  ByteReader reader = CheckedReader(in, kind);
  ReadFormat(reader, kMessageFormat);
  read(reader);
  CheckSaved(reader.left() == 0, "something follows its end");
}

}  // namespace manyarms

#endif  // MANYARMS_SHARDS_MESSAGE_H_
