#include "service/api/npy_ids.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/utf8.h"
#include "manyarms/error.h"
#include "service/api/http_error.h"

namespace manyarms::service {
namespace {

constexpr std::size_t kMostWidth = 1 << 16;

[[noreturn]] void FailInvalid(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

std::uint64_t LittleEndian(std::string_view bytes) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data(), bytes.size());
  return number;
}

void AppendUtf8(std::uint64_t code, std::string& text) {
  const auto append = [&text](std::uint64_t byte) {
    text += static_cast<char>(static_cast<unsigned char>(byte));
  };
  if (code < 0x80) return append(code);
  if (code < 0x800) {
    append(0xc0U | code >> 6U);
  } else if (code < 0x10000) {
    append(0xe0U | code >> 12U);
    append(0x80U | (code >> 6U & 0x3fU));
  } else {
    append(0xf0U | code >> 18U);
    append(0x80U | (code >> 12U & 0x3fU));
    append(0x80U | (code >> 6U & 0x3fU));
  }
  append(0x80U | (code & 0x3fU));
}

// NumPy fills up with zeros.
std::string_view WithoutZeros(std::string_view bytes) {
  return bytes.substr(0, bytes.find_last_not_of('\0') + 1);
}

std::string FromUnicode(std::string_view bytes) {
  constexpr std::size_t kUnit = 4;
  std::string text;
  const std::size_t used = WithoutZeros(bytes).size();
  for (std::size_t i = 0; i < used; i += kUnit) {
    const std::uint64_t code = LittleEndian(bytes.substr(i, kUnit));
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
      FailInvalid(fmt::format("{} is no character of Unicode", code));
    }
    AppendUtf8(code, text);
  }
  return text;
}

}  // namespace

NpyIds::NpyIds(const std::string& type, bool named) {
  std::size_t count = 0;
  const char* const end = type.data() + type.size();
  const bool plain = type.size() >= 3 && (type[0] == '<' || type[0] == '|');
  if (plain) {
    const auto [parsed, error] = std::from_chars(type.data() + 2, end, count);
    if (error != std::errc() || parsed != end) count = 0;
  }
  const char kind = plain ? type[1] : '\0';
  const bool is_text = kind == 'U' || kind == 'S';
  const bool is_number = kind == 'u' || kind == 'i';
  const bool fits = is_text
                        ? count > 0 && count <= kMostWidth
                        : count == 1 || count == 2 || count == 4 || count == 8;
  if ((!is_text && !is_number) || !fits) {
    FailInvalid(
        fmt::format("the type of the ids is '{}', must be one of whole "
                    "numbers or texts (little-endian)",
                    Shortened(type)));
  }
  if (is_text != named) {
    FailInvalid(
        fmt::format("the type of the ids is '{}', and the arms of this "
                    "bandit have {}",
                    type, named ? "names" : "numbers"));
  }
  kind_ = kind == 'U'   ? Kind::kUnicode
          : kind == 'S' ? Kind::kBytes
          : kind == 'i' ? Kind::kSigned
                        : Kind::kUnsigned;
  width_ = kind == 'U' ? 4 * count : count;
}

void NpyIds::Take(std::string_view bytes) {
  switch (kind_) {
    case Kind::kUnicode:
      names_.push_back(FromUnicode(bytes));
      return;
    case Kind::kBytes: {
      const std::string_view text = WithoutZeros(bytes);
      if (Utf8PrefixLength(text) != text.size()) {
        FailInvalid("the name is not UTF-8");
      }
      names_.emplace_back(text);
      return;
    }
    case Kind::kSigned:
      if ((static_cast<unsigned char>(bytes.back()) & 0x80U) != 0) {
        FailInvalid("the id is negative, must be at least 0");
      }
      [[fallthrough]];
    case Kind::kUnsigned:
      numbers_.push_back(LittleEndian(bytes));
  }
}

ArmName NpyIds::Release(std::size_t i) {
  if (names_.empty()) return numbers_[i];
  return std::move(names_[i]);
}

}  // namespace manyarms::service
