#include "printable.h"

#include <fmt/format.h>

#include "base/utf8.h"

namespace manyarms::cli {
namespace {

// Appends valid UTF-8. Control characters are those below a space, DEL, and
// U+0080 to U+009F, which some terminals obey.
void AppendWithoutControls(std::string_view text, std::string& line) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_high_control =
        byte == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (byte == '\n' || byte == '\r' || byte == '\t') {
      line += ' ';
    } else if (byte < 0x20 || byte == 0x7f) {
      line += fmt::format("\\x{:02x}", byte);
    } else if (is_high_control) {
      line += fmt::format("\\x{:02x}\\x{:02x}", byte,
                          static_cast<unsigned char>(text[++i]));
    } else {
      line += text[i];
    }
  }
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const std::size_t good = Utf8PrefixLength(text);
    AppendWithoutControls(text.substr(0, good), line);
    text.remove_prefix(good);
    if (text.empty()) break;
    line += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    text.remove_prefix(1);
  }
  return line;
}

}  // namespace manyarms::cli
