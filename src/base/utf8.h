#ifndef MANYARMS_BASE_UTF8_H_
#define MANYARMS_BASE_UTF8_H_

#include <cstddef>
#include <string_view>

namespace manyarms {

/// How many bytes the longest prefix has that is UTF-8 by the Unicode standard
/// (table 3-7): without overlong forms, surrogates and what lies beyond
/// U+10FFFF. The text is UTF-8 if that is all of it.
std::size_t Utf8PrefixLength(std::string_view text);

}  // namespace manyarms

#endif  // MANYARMS_BASE_UTF8_H_
