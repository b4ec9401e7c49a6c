#include "service/http/answer_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace manyarms::http {
namespace {

constexpr std::string_view kFixed =
    "Server: manyarms\r\nX-Content-Type-Options: nosniff\r\n";

std::string_view Reason(unsigned status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    default:
      return "";  // a reason may be empty, and nobody reads it
  }
}

void AppendNumber(std::uint64_t number, int base, std::string& text) {
  std::array<char, 24> digits;
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, base);
  text.append(digits.data(), end.ptr);
}

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool SameName(std::string_view name, std::string_view lower) {
  return std::ranges::equal(name, lower, {}, Lower);
}

bool IsSafeText(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= 0x20 && c < 0x7f) || c == '\t'; });
}

bool IsSafeName(std::string_view name) {
  constexpr std::string_view kOthers = "-_";
  return !name.empty() && std::ranges::all_of(name, [&](char c) {
    const char lower = Lower(c);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

}  // namespace

bool IsSafe(const Response& response) {
  return response.status >= 200 && response.status <= 999 &&
         IsSafeText(response.content_type) &&
         std::ranges::all_of(response.headers, [](const auto& header) {
           return IsSafeName(header.first) && IsSafeText(header.second);
         });
}

bool IsBodiless(unsigned status) { return status == 204 || status == 304; }

void AppendHead(const Response& response, const AnswerForm& form,
                std::string& text) {
  text += "HTTP/1.1 ";
  AppendNumber(response.status, 10, text);
  text += ' ';
  text += Reason(response.status);
  text += "\r\n";
  text += kFixed;
  if (!IsBodiless(response.status)) {
    if (!response.content_type.empty()) {
      text += "Content-Type: ";
      text += response.content_type;
      text += "\r\n";
    }
    if (form.framing == Framing::kLength) {
      text += "Content-Length: ";
      AppendNumber(response.body.size(), 10, text);
      text += "\r\n";
    } else if (form.framing == Framing::kChunks) {
      text += "Transfer-Encoding: chunked\r\n";
    }
  }
  bool cached = false;
  for (const auto& [name, value] : response.headers) {
    cached = cached || SameName(name, "cache-control");
    text += name;
    text += ": ";
    text += value;
    text += "\r\n";
  }
  if (!cached) text += "Cache-Control: no-store\r\n";
  if (!form.keep) {
    text += "Connection: close\r\n";
  } else if (form.http10) {
    text += "Connection: keep-alive\r\n";
  }
  text += "\r\n";
}

void AppendChunk(std::string_view piece, std::string& text) {
  AppendNumber(piece.size(), 16, text);
  text += "\r\n";
  text += piece;
  text += "\r\n";
}

}  // namespace manyarms::http
