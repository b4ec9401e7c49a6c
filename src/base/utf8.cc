#include "base/utf8.h"

#include <algorithm>

namespace manyarms {
namespace {

unsigned Byte(char c) { return static_cast<unsigned char>(c); }

bool IsWithin(char c, unsigned low, unsigned high) {
  return Byte(c) >= low && Byte(c) <= high;
}

// The length of the character with which a text begins; 0 if it is not UTF-8.
// Overlong forms, surrogates and numbers that are too large are recognised by
// the second byte.
std::size_t CharacterLength(std::string_view text) {
  const unsigned lead = Byte(text[0]);
  if (lead < 0x80) return 1;
  const std::size_t length = lead < 0xc2   ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  if (length == 0 || text.size() < length) return 0;
  const unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  const bool is_whole =
      IsWithin(text[1], low, high) &&
      std::ranges::all_of(text.substr(2, length - 2),
                          [](char c) { return IsWithin(c, 0x80, 0xbf); });
  return is_whole ? length : 0;
}

}  // namespace

std::size_t Utf8PrefixLength(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size()) {
    const std::size_t next = CharacterLength(text.substr(length));
    if (next == 0) break;
    length += next;
  }
  return length;
}

}  // namespace manyarms
