#include "service/load/response_reader.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <system_error>

#include "manyarms/error.h"

namespace manyarms::load {
namespace {

[[noreturn]] void Fail(const std::string& what) {
  throw Error(ErrorCode::kCorrupt, "the answer is not HTTP/1.1: " + what);
}

bool EqualsLower(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, [](unsigned char a, unsigned char b) {
    return std::tolower(a) == b;
  });
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
    text.remove_suffix(1);
  }
  return text;
}

std::size_t ParseSize(std::string_view text, int base) {
  std::size_t size = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), size, base);
  if (error != std::errc() || end != text.data() + text.size()) {
    Fail("a length that is no number");
  }
  if (size > ResponseReader::kMostBody) Fail("a body that is too long");
  return size;
}

}  // namespace

void ResponseReader::Reset() {
  bytes_.clear();
  chunks_.clear();
  searched_ = 0;
  body_ = 0;
}

std::string_view ResponseReader::body() const {
  if (chunked_) return chunks_;
  return std::string_view(bytes_).substr(body_, length_);
}

bool ResponseReader::Take(std::string_view bytes) {
  bytes_.append(bytes);
  if (body_ == 0 && !ReadHead()) return false;
  if (chunked_) return ReadChunks();
  const std::size_t have = bytes_.size() - body_;
  if (have > length_) Fail("more bytes than it says");
  return have == length_;
}

bool ResponseReader::ReadHead() {
  const std::size_t end = bytes_.find("\r\n\r\n", searched_);
  if (end == std::string::npos) {
    if (bytes_.size() > kMostHead) Fail("a head that is too long");
    searched_ = bytes_.size() < 3 ? 0 : bytes_.size() - 3;
    return false;
  }
  std::string_view head = std::string_view(bytes_).substr(0, end + 2);
  constexpr std::size_t kStatusLine = 12;  // HTTP/1.1 200
  if (!head.starts_with("HTTP/1.") || head.size() < kStatusLine) {
    Fail("its first line");
  }
  status_ = static_cast<unsigned>(ParseSize(head.substr(9, 3), 10));
  if (status_ >= 100 && status_ < 200) {  // another one follows
    bytes_.erase(0, end + 4);
    searched_ = 0;
    return ReadHead();
  }
  keeps_alive_ = head[7] == '1';
  chunked_ = false;
  length_ = kMostBody + 1;
  for (std::size_t line = head.find("\r\n") + 2; line < head.size();) {
    const std::size_t line_end = head.find("\r\n", line);
    const std::string_view text = head.substr(line, line_end - line);
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) Fail("a field without a colon");
    ReadField(text.substr(0, colon), Trimmed(text.substr(colon + 1)));
    line = line_end + 2;
  }
  if (status_ == 204 || status_ == 304) length_ = 0;
  if (!chunked_ && length_ > kMostBody) Fail("a body without a length");
  body_ = end + 4;
  return true;
}

void ResponseReader::ReadField(std::string_view name, std::string_view value) {
  if (EqualsLower(name, "content-length")) {
    length_ = ParseSize(value, 10);
  } else if (EqualsLower(name, "transfer-encoding")) {
    chunked_ = EqualsLower(value, "chunked");
  } else if (EqualsLower(name, "connection")) {
    keeps_alive_ = EqualsLower(value, "keep-alive");
  }
}

bool ResponseReader::ReadChunks() {
  while (true) {
    const std::size_t end = bytes_.find("\r\n", body_);
    if (end == std::string::npos) return false;
    std::string_view line = std::string_view(bytes_).substr(body_, end - body_);
    line = Trimmed(line.substr(0, line.find(';')));
    const std::size_t size = ParseSize(line, 16);
    const std::size_t begin = end + 2;
    if (bytes_.size() < begin + size + 2) return false;
    if (bytes_.compare(begin + size, 2, "\r\n") != 0) Fail("a chunk's end");
    chunks_.append(bytes_, begin, size);
    if (chunks_.size() > kMostBody) Fail("a body that is too long");
    body_ = begin + size + 2;
    if (size > 0) continue;
    if (bytes_.size() > body_) Fail("more bytes than it says");
    return true;
  }
}

}  // namespace manyarms::load
