#include "service/api/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/utf8.h"
#include "manyarms/error.h"
#include "service/api/http_error.h"

namespace manyarms::service {
namespace {

constexpr std::size_t kMostSegments = 16;

[[noreturn]] void FailInvalid(std::string_view name, std::string_view value,
                              const std::string& expected) {
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("the parameter {} is \"{}\", expected {}", name,
                          Shortened(value), expected));
}

}  // namespace

std::string PercentDecoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    unsigned byte = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (digits.size() != 2 || error != std::errc() ||
        end != digits.data() + 2) {
      throw HttpError(400,
                      "the address has a % without two hexadecimal digits");
    }
    decoded += static_cast<char>(static_cast<unsigned char>(byte));
    i += 2;
  }
  if (Utf8PrefixLength(decoded) != decoded.size()) {
    throw HttpError(400, "the address is not UTF-8");
  }
  return decoded;
}

std::vector<std::string_view> SegmentsOf(std::string_view path) {
  std::vector<std::string_view> segments;
  if (path.starts_with('/')) path.remove_prefix(1);
  while (segments.size() + 1 < kMostSegments) {
    const std::size_t slash = path.find('/');
    if (slash == path.npos) break;
    segments.push_back(path.substr(0, slash));
    path.remove_prefix(slash + 1);
  }
  segments.push_back(path);
  return segments;
}

Query::Query(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('&'), text.size());
    std::string one(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (one.empty()) continue;
    std::ranges::replace(one, '+', ' ');
    const std::size_t equals = std::min(one.find('='), one.size());
    const std::string_view view = one;
    std::string name = PercentDecoded(view.substr(0, equals));
    std::string value =
        PercentDecoded(view.substr(std::min(equals + 1, view.size())));
    for (const auto& [other, ignored] : parameters_) {
      if (other == name) {
        throw HttpError(400, fmt::format("the parameter \"{}\" is there twice",
                                         Shortened(name)));
      }
    }
    parameters_.emplace_back(std::move(name), std::move(value));
  }
}

std::optional<std::string> Query::Text(std::string_view name) {
  for (auto one = parameters_.begin(); one != parameters_.end(); ++one) {
    if (one->first != name) continue;
    std::string value = std::move(one->second);
    parameters_.erase(one);
    return value;
  }
  return std::nullopt;
}

std::uint64_t Query::Count(std::string_view name, std::uint64_t otherwise,
                           std::uint64_t low, std::uint64_t high) {
  const std::optional<std::string> text = Text(name);
  if (!text) return otherwise;
  std::uint64_t count = 0;
  const auto [end, error] =
      std::from_chars(text->data(), text->data() + text->size(), count);
  if (error != std::errc() || end != text->data() + text->size() ||
      count < low || count > high) {
    FailInvalid(name, *text,
                fmt::format("a whole number from {} to {}", low, high));
  }
  return count;
}

bool Query::Truth(std::string_view name) {
  const std::optional<std::string> text = Text(name);
  if (!text || *text == "false") return false;
  if (*text != "true") FailInvalid(name, *text, "true or false");
  return true;
}

void Query::End() const {
  if (parameters_.empty()) return;
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("there is no parameter \"{}\"",
                          Shortened(parameters_.front().first)));
}

}  // namespace manyarms::service
