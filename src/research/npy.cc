#include "research/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "bandit/checked_file.h"
#include "manyarms/error.h"
#include "research/npy_header.h"

namespace manyarms {
namespace {

[[noreturn]] void Corrupt(const std::string& message) {
  throw Error(ErrorCode::kCorrupt, message);
}

[[noreturn]] void Unsupported(const std::string& message) {
  throw Error(ErrorCode::kUnsupported, message);
}

// Reads at most `count` bytes.
std::string ReadBytes(std::istream& in, std::size_t count) {
  std::string bytes(count, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

NpyHeader ReadHeader(std::istream& in) {
  std::string start = ReadBytes(in, kNpyPrefix);
  std::size_t length = NpyHeaderLength(start);
  while (start.size() < length) {
    const std::size_t before = start.size();
    start += ReadBytes(in, length - before);
    if (start.size() != length) Corrupt("its header is cut off");
    length = NpyHeaderLength(start);
  }
  return ParseNpyHeader(start);
}

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
  const NpyHeader header = ReadHeader(in);
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
