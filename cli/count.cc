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
            // CLI11 would read a number with a leading zero as octal.
            const bool decimal = text.size() == 1 || !text.starts_with('0');
            if (error == std::errc() && stop == end && decimal) return "";
            return fmt::format("'{}' is not a whole number from 0 to 2^64 - 1",
                               text);
          },
          "COUNT"};
}

}  // namespace manyarms::cli
