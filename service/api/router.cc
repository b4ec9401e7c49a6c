#include "service/api/router.h"

#include <algorithm>
#include <utility>

#include "service/api/url.h"

namespace manyarms::service {
namespace {

std::string_view NameOf(http::Method method) {
  switch (method) {
    case http::Method::kGet:
      return "GET";
    case http::Method::kHead:
      return "HEAD";
    case http::Method::kPost:
      return "POST";
    case http::Method::kPut:
      return "PUT";
    case http::Method::kPatch:
      return "PATCH";
    case http::Method::kDelete:
      return "DELETE";
    case http::Method::kOptions:
      return "OPTIONS";
    case http::Method::kOther:
      break;
  }
  return "other";
}

bool IsArgument(std::string_view segment) { return segment.starts_with('{'); }

// A route with the segments of its pattern.
struct Pattern {
  const Route* route;
  std::vector<std::string_view> segments;

  bool Fits(const std::vector<std::string_view>& path) const {
    return std::ranges::equal(
        segments, path, [](std::string_view wanted, std::string_view given) {
          return IsArgument(wanted) || wanted == given;
        });
  }
};

const std::vector<Pattern>& Patterns() {
  static const std::vector<Pattern> patterns = [] {
    std::vector<Pattern> all;
    for (const Route& route : Routes()) {
      all.push_back({&route, SegmentsOf(route.pattern)});
    }
    return all;
  }();
  return patterns;
}

void Allow(http::Method method, std::string& allow) {
  if (!allow.empty()) allow += ", ";
  allow += NameOf(method);
  if (method == http::Method::kGet) allow += ", HEAD";
}

}  // namespace

std::string_view Route::method_name() const { return NameOf(method); }

std::string Route::name() const {
  return std::string(method_name()) + ' ' + std::string(pattern);
}

std::string Route::short_name() const {
  constexpr std::string_view kBandit = "/v1/bandits/{bandit}/";
  constexpr std::string_view kVersion = "/v1/";
  std::string_view rest = pattern;
  if (rest.starts_with(kBandit)) {
    rest.remove_prefix(kBandit.size());
  } else if (rest.starts_with(kVersion)) {
    rest.remove_prefix(kVersion.size());
  }
  return std::string(method_name()) + ' ' + std::string(rest);
}

Match FindRoute(http::Method method, std::string_view path) {
  if (method == http::Method::kHead) method = http::Method::kGet;
  const std::vector<std::string_view> segments = SegmentsOf(path);
  Match match;
  for (const Pattern& pattern : Patterns()) {
    if (!pattern.Fits(segments)) continue;
    if (pattern.route->method != method) {
      Allow(pattern.route->method, match.allow);
      continue;
    }
    match.route = pattern.route;
    match.index = static_cast<std::size_t>(pattern.route - Routes().data());
    for (std::size_t i = 0; i < segments.size(); ++i) {
      if (IsArgument(pattern.segments[i])) {
        match.arguments.push_back(PercentDecoded(segments[i]));
      }
    }
    break;
  }
  return match;
}

}  // namespace manyarms::service
