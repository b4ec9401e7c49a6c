#include "research/npy_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "manyarms/error.h"

namespace manyarms {
namespace {

constexpr std::size_t kMostHeader = 1 << 20;

[[noreturn]] void Corrupt(const std::string& message) {
  throw Error(ErrorCode::kCorrupt, message);
}

[[noreturn]] void Unsupported(const std::string& message) {
  throw Error(ErrorCode::kUnsupported, message);
}

std::size_t LittleEndian(std::string_view bytes) {
  std::size_t number = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) {
    number = number << 8U | static_cast<unsigned char>(bytes[i - 1]);
  }
  return number;
}

// Where the text of the header begins: after the length, which has 2 bytes in
// the first version and 4 in later ones.
std::size_t TextAt(std::string_view begin) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  if (begin.size() < kNpyPrefix || !begin.starts_with(kMagic)) {
    Corrupt("it is not a .npy file");
  }
  const int version = static_cast<unsigned char>(begin[kMagic.size()]);
  if (version < 1 || version > 3) {
    Unsupported(fmt::format(".npy files of version {} are not known", version));
  }
  return kNpyPrefix + (version == 1 ? 2 : 4);
}

// The header is a dict as Python prints it, with three keys:
// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }
class HeaderScanner {
 public:
  explicit HeaderScanner(std::string_view text) : text_(text) {}

  NpyHeader Scan() {
    NpyHeader header;
    Expect('{');
    while (!Accept('}')) {
      const std::string_view key = Quoted();
      Expect(':');
      if (key == "descr") {
        if (Peek() == '[') Unsupported("its values are records, not numbers");
        header.type = Quoted();
      } else if (key == "fortran_order") {
        header.fortran = Truth();
      } else if (key == "shape") {
        header.shape = Shape();
      } else {
        Fail();
      }
      if (!Accept(',') && Peek() != '}') Fail();
    }
    Peek();
    if (!text_.empty()) Fail();
    return header;
  }

 private:
  [[noreturn]] static void Fail() { Corrupt("its header is damaged"); }

  char Peek() {
    const std::size_t next = text_.find_first_not_of(" \n");
    text_.remove_prefix(std::min(next, text_.size()));
    return text_.empty() ? '\0' : text_.front();
  }
  bool Accept(char c) {
    if (Peek() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void Expect(char c) {
    if (!Accept(c)) Fail();
  }
  std::string_view Quoted() {
    Expect('\'');
    const std::size_t end = text_.find('\'');
    if (end == text_.npos) Fail();
    const std::string_view quoted = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return quoted;
  }
  bool Truth() {
    Peek();
    for (const std::string_view word : {"True", "False"}) {
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return word == "True";
    }
    Fail();
  }
  std::vector<std::size_t> Shape() {
    std::vector<std::size_t> shape;
    Expect('(');
    while (!Accept(')')) {
      Peek();
      std::size_t size = 0;
      const auto [end, error] =
          std::from_chars(text_.data(), text_.data() + text_.size(), size);
      if (error != std::errc()) Fail();
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      shape.push_back(size);
      if (!Accept(',') && Peek() != ')') Fail();
    }
    return shape;
  }

  std::string_view text_;
};

}  // namespace

std::size_t NpyHeaderLength(std::string_view begin) {
  const std::size_t text_at = TextAt(begin);
  if (begin.size() < text_at) return text_at;
  const std::size_t length =
      LittleEndian(begin.substr(kNpyPrefix, text_at - kNpyPrefix));
  if (length > kMostHeader) Corrupt("its header is damaged");
  return text_at + length;
}

NpyHeader ParseNpyHeader(std::string_view begin) {
  return HeaderScanner(begin.substr(TextAt(begin))).Scan();
}

}  // namespace manyarms
