#include "tests/service/hostile/answer.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace manyarms::hostile {
namespace {

constexpr int kStatuses[] = {200, 201, 204, 400, 401, 403, 404, 405,
                             408, 409, 411, 413, 414, 415, 417, 422,
                             426, 429, 431, 501, 503, 505};

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return lower;
}

// The value of a field; a head is in small letters.
std::string_view Field(std::string_view head, const std::string& name) {
  const std::size_t at = head.find("\r\n" + name + ":");
  if (at == std::string_view::npos) return {};
  std::string_view value = head.substr(at + name.size() + 3);
  value = value.substr(0, value.find("\r\n"));
  while (value.starts_with(' ')) value.remove_prefix(1);
  return value;
}

// Takes a body in chunks off the front; false if it is not whole.
bool TakeChunks(std::string_view& rest, std::string& body, std::string& flaw) {
  while (true) {
    const std::size_t end = rest.find("\r\n");
    if (end == std::string_view::npos) return false;
    std::size_t size = 0;
    const auto parsed =
        std::from_chars(rest.data(), rest.data() + end, size, 16);
    if (parsed.ec != std::errc() || parsed.ptr != rest.data() + end) {
      flaw = "the size of a chunk is wrong";
      return false;
    }
    if (rest.size() < end + 2 + size + 2) return false;
    body += rest.substr(end + 2, size);
    rest.remove_prefix(end + 2 + size + 2);
    if (size == 0) return true;
  }
}

std::string_view FlawOf(int status, std::string_view head,
                        const std::string& body) {
  if (!std::ranges::count(kStatuses, status)) return "the status";
  const std::string_view type = Field(head, "content-type");
  if (status >= 400) {
    if (!type.starts_with("application/json"))
      return "an error that is not JSON";
    if (body.find("\"status\":" + std::to_string(status)) ==
        std::string::npos) {
      return "an error without its status";
    }
  }
  if (type.starts_with("application/json") && !nlohmann::json::accept(body)) {
    return "a body that is not JSON";
  }
  return {};
}

}  // namespace

Answer ReadAnswer(std::string_view received, bool is_head) {
  Answer answer;
  const std::size_t end = received.find("\r\n\r\n");
  if (end == std::string_view::npos) return answer;
  if (!received.starts_with("HTTP/1.1 ")) {
    answer.flaw = "it does not begin with HTTP/1.1";
    return answer;
  }
  const std::string head = Lower(received.substr(0, end + 2));
  std::from_chars(head.data() + 9, head.data() + 12, answer.status);
  if (answer.status == 100) {
    answer = ReadAnswer(received.substr(end + 4), is_head);
    if (answer.bytes != 0) answer.bytes += end + 4;
    return answer;
  }
  answer.closes = Field(head, "connection") == "close";
  std::string_view rest = received.substr(end + 4);
  std::string body;
  if (is_head || answer.status == 204) {
    answer.bytes = end + 4;
    return answer;
  }
  if (Field(head, "transfer-encoding") == "chunked") {
    if (!TakeChunks(rest, body, answer.flaw)) return answer;
  } else {
    std::size_t length = 0;
    const std::string_view text = Field(head, "content-length");
    std::from_chars(text.data(), text.data() + text.size(), length);
    if (rest.size() < length) return answer;
    body = rest.substr(0, length);
    rest.remove_prefix(length);
  }
  answer.bytes = received.size() - rest.size();
  answer.flaw = FlawOf(answer.status, head, body);
  return answer;
}

}  // namespace manyarms::hostile
