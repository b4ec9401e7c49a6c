#ifndef MANYARMS_BASE_UTF8_H_
#define MANYARMS_BASE_UTF8_H_

#include <cstddef>
#include <string_view>

namespace manyarms {

/// The length in bytes of the longest prefix that is UTF-8 by the Unicode
/// standard (table 3-7): without overlong forms, surrogates and numbers beyond
/// U+10FFFF. The text is UTF-8 if this is its whole length.
std::size_t Utf8PrefixLength(std::string_view text);

}  // namespace manyarms

#endif  // MANYARMS_BASE_UTF8_H_
