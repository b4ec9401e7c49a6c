// The scanner of logs and requests accepts exactly the JSON that nlohmann-json
// does, but for texts that are not UTF-8 (it requires that) and deep ones.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "base/utf8.h"
#include "log/json_scanner.h"
#include "manyarms/error.h"
#include "tests/fuzz/check.h"

using namespace manyarms;

namespace {

bool Skips(std::string_view text) {
  try {
    JsonScanner scanner(text);
    scanner.Skip();
    scanner.End();
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Whether nlohmann-json takes it; nothing if it has a number that no double
// holds, which is JSON, but which nlohmann-json refuses.
std::optional<bool> IsJson(std::string_view text) {
  // It takes a byte 0 for the end, and skips a byte order mark.
  if (text.find('\0') != std::string_view::npos) return false;
  if (text.starts_with("\xEF\xBB\xBF")) return false;
  try {
    return !nlohmann::json::parse(text).is_discarded();
  } catch (const nlohmann::json::out_of_range&) {
    return std::nullopt;
  } catch (const nlohmann::json::parse_error&) {
    return false;
  }
}

// Reads values by what is asked for, not by what is there.
void Read(JsonScanner& scanner, int depth) {
  std::string text;
  std::vector<float> floats;
  scanner.Object([&](std::string_view key) {
    switch (key.size() % 8) {
      case 0:
        return scanner.Skip();
      case 1:
        return scanner.Text(text);
      case 2:
        return static_cast<void>(scanner.Number());
      case 3:
        return static_cast<void>(scanner.Float());
      case 4:
        return static_cast<void>(scanner.Count());
      case 5:
        return static_cast<void>(scanner.Truth());
      case 6:
        return scanner.Floats(floats);
      default:
        if (depth > 3) return scanner.Skip();
        return scanner.Array([&] { Read(scanner, depth + 1); });
    }
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (Utf8PrefixLength(text) != size) return 0;
  if (const std::optional<bool> accepted = IsJson(text)) {
    const bool skips = Skips(text);
    Check(!skips || *accepted);
    if (*accepted && size < 64) Check(skips);
  }
  try {
    JsonScanner scanner(text);
    Read(scanner, 0);
    scanner.End();
  } catch (const Error&) {
  }
  return 0;
}
