#include "research/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>

#include "bandit/checked_file.h"
#include "manyarms/error.h"

namespace manyarms {
namespace {

[[noreturn]] void Corrupt(const std::string& message) {
  throw Error(ErrorCode::kCorrupt, message);
}

[[noreturn]] void Unsupported(const std::string& message) {
  throw Error(ErrorCode::kUnsupported, message);
}

constexpr std::size_t kMostHeader = 1 << 20;

// Reads at most `count` bytes.
std::string ReadBytes(std::istream& in, std::size_t count) {
  std::string bytes(count, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

std::size_t LittleEndian(std::string_view bytes) {
  std::size_t number = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) {
    number = number << 8U | static_cast<unsigned char>(bytes[i - 1]);
  }
  return number;
}

std::string ReadHeader(std::istream& in) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  const std::string start = ReadBytes(in, kMagic.size() + 2);
  if (start.size() != kMagic.size() + 2 || !start.starts_with(kMagic)) {
    Corrupt("it is not a .npy file");
  }
  const int version = static_cast<unsigned char>(start[kMagic.size()]);
  if (version < 1 || version > 3) {
    Unsupported(fmt::format(".npy files of version {} are not known", version));
  }
  const std::size_t width = version == 1 ? 2 : 4;
  const std::string length_bytes = ReadBytes(in, width);
  const std::size_t length = LittleEndian(length_bytes);
  if (length_bytes.size() != width || length > kMostHeader) {
    Corrupt("its header is damaged");
  }
  std::string header = ReadBytes(in, length);
  if (header.size() != length) Corrupt("its header is cut off");
  return header;
}

// The header is a dict as Python prints it, with three keys:
// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }
class HeaderScanner {
 public:
  explicit HeaderScanner(std::string_view text) : text_(text) {}

  std::string type;
  bool fortran = false;
  std::vector<std::size_t> shape;

  void Scan() {
    Expect('{');
    while (!Accept('}')) {
      const std::string_view key = Quoted();
      Expect(':');
      if (key == "descr") {
        if (Peek() == '[') Unsupported("its values are records, not numbers");
        type = Quoted();
      } else if (key == "fortran_order") {
        fortran = Truth();
      } else if (key == "shape") {
        Shape();
      } else {
        Fail();
      }
      if (!Accept(',') && Peek() != '}') Fail();
    }
    Peek();
    if (!text_.empty()) Fail();
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
  void Shape() {
    Expect('(');
    shape.clear();
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
  }

  std::string_view text_;
};

// Reads piece by piece, so that a header that promises too much does not take
// memory that the file does not have.
template <class Real>
std::vector<Real> ReadValues(std::istream& in, std::size_t count) {
  constexpr std::size_t kPiece = 1 << 20;
  std::vector<Real> values;
  while (values.size() < count) {
    const std::size_t begin = values.size();
    const std::size_t piece = std::min(kPiece, count - begin);
    values.resize(begin + piece);
    const auto bytes = static_cast<std::streamsize>(piece * sizeof(Real));
    // Files are little-endian, as are all machines that the library supports.
    in.read(reinterpret_cast<char*>(values.data() + begin), bytes);
    if (in.gcount() != bytes) {
      Corrupt(fmt::format("it has fewer than {} values", count));
    }
  }
  if (in.get() != std::istream::traits_type::eof()) {
    Corrupt(fmt::format("something follows its {} values", count));
  }
  return values;
}

}  // namespace

FeatureRows NpyMatrix::Rows() const {
  return std::visit(
      [this](const auto& numbers) {
        return FeatureRows(numbers.data(), rows, columns,
                           {.row = static_cast<std::ptrdiff_t>(columns)});
      },
      values);
}

NpyMatrix ReadNpy(std::istream& in) {
  const std::string text = ReadHeader(in);
  HeaderScanner header(text);
  header.Scan();
  const bool is_float = header.type == "<f4";
  if (!is_float && header.type != "<f8") {
    Unsupported(fmt::format(
        "its type is '{}', must be float32 or float64 (little-endian)",
        header.type));
  }
  if (header.fortran) {
    Unsupported("its values are in Fortran order, must be in C order");
  }
  if (header.shape.size() != 2) {
    Unsupported(
        fmt::format("it has {} dimensions, must have 2", header.shape.size()));
  }
  NpyMatrix matrix{.rows = header.shape[0], .columns = header.shape[1]};
  if (matrix.columns != 0 &&
      matrix.rows > std::numeric_limits<std::size_t>::max() / sizeof(double) /
                        matrix.columns) {
    Corrupt("its shape is too large");
  }
  const std::size_t count = matrix.rows * matrix.columns;
  if (is_float) {
    matrix.values = ReadValues<float>(in, count);
  } else {
    matrix.values = ReadValues<double>(in, count);
  }
  return matrix;
}

NpyMatrix ReadNpy(const std::filesystem::path& path) {
  return ReadWhole(path, [](std::istream& in) { return ReadNpy(in); });
}

}  // namespace manyarms
