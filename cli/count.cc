#include <fmt/format.h>

#include <charconv>
#include <cstdint>

#include "commands.h"

namespace manyarms::cli {

CLI::Validator Count() {
  return {[](const std::string& text) -> std::string {
            std::uint64_t value = 0;
            const char* end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, value);
            // With a zero in front CLI11 would read it as octal.
            const bool plain = text.size() == 1 || !text.starts_with('0');
            if (error == std::errc() && stop == end && plain) return "";
            return fmt::format("'{}' is not a whole number from 0 to 2^64 - 1",
                               text);
          },
          "COUNT"};
}

}  // namespace manyarms::cli
