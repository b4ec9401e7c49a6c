#include "reproduction/movielens/ratings.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "manyarms/error.h"

namespace manyarms::reproduction {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kMaxId = 10'000'000;

fs::path FindFile(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) return path;
  if (!fs::is_directory(path, ignored)) {
    throw Error(ErrorCode::kIo,
                fmt::format("there is no file or folder {}", path.string()));
  }
  for (const char* name :
       {"ratings.dat", "ratings.dat.gz", "u.data", "u.data.gz"}) {
    if (fs::is_regular_file(path / name, ignored)) return path / name;
  }
  throw Error(ErrorCode::kIo,
              fmt::format("{} has neither ratings.dat nor u.data, plain or .gz",
                          path.string()));
}

// Reads the lines of a file that may be compressed by gzip; zlib reads both.
class LineReader {
 public:
  explicit LineReader(const fs::path& path)
      : path_(path), file_(gzopen(path.c_str(), "rb"), gzclose) {
    if (!file_) {
      throw Error(ErrorCode::kIo, fmt::format("cannot open {}", path.string()));
    }
    gzbuffer(file_.get(), 1 << 18);
  }

  std::optional<std::string_view> Next() {
    const z_off_t start = gztell(file_.get());
    if (gzgets(file_.get(), line_.data(), static_cast<int>(line_.size())) ==
        nullptr) {
      CheckEnd();
      return std::nullopt;
    }
    ++number_;
    // The length is not that of the C string, so that zero bytes are seen.
    std::string_view line(
        line_.data(), static_cast<std::size_t>(gztell(file_.get()) - start));
    if (!line.ends_with('\n')) CheckCutOff(line);
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) {
      line.remove_suffix(1);
    }
    return line;
  }

  std::string Place() const {
    return fmt::format("{}, line {}", path_.string(), number_);
  }

 private:
  // A line without a newline must be the last line of a complete file.
  void CheckCutOff(std::string_view line) {
    if (gzgetc(file_.get()) == -1) {
      CheckEnd();
      return;
    }
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} is not text, or is too long: '{}'", Place(),
                            line.substr(0, 40)));
  }

  // Throws unless the file was read to its end without an error.
  void CheckEnd() const {
    int code = Z_OK;
    gzerror(file_.get(), &code);
    if (code == Z_OK && gzeof(file_.get()) == 1) return;
    throw Error(
        ErrorCode::kIo,
        fmt::format("{} is damaged after line {}: {}", path_.string(), number_,
                    code == Z_BUF_ERROR ? "the file ends too early"
                                        : "the rest cannot be read"));
  }

  fs::path path_;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
  std::array<char, 256> line_{};
  std::uint64_t number_ = 0;
};

// Removes a number and the separator after it from the front of the line.
template <class Number>
std::optional<Number> TakeNumber(std::string_view& line,
                                 std::string_view separator) {
  Number value{};
  const char* end = line.data() + line.size();
  const auto [stop, error] = std::from_chars(line.data(), end, value);
  if (error != std::errc()) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(stop - line.data()));
  if (line.starts_with(separator)) {
    line.remove_prefix(separator.size());
  } else if (!line.empty()) {
    return std::nullopt;
  }
  return value;
}

std::optional<Rating> Parse(std::string_view line) {
  const std::string_view separator =
      line.find('\t') == std::string_view::npos ? "::" : "\t";
  const auto user = TakeNumber<std::uint32_t>(line, separator);
  const auto movie = TakeNumber<std::uint32_t>(line, separator);
  const auto stars = TakeNumber<float>(line, separator);
  if (!user || !movie || !stars) return std::nullopt;
  if (!line.empty() &&
      (!TakeNumber<std::int64_t>(line, separator) || !line.empty())) {
    return std::nullopt;
  }
  const auto is_id = [](std::uint32_t id) { return id >= 1 && id <= kMaxId; };
  if (!is_id(*user) || !is_id(*movie)) return std::nullopt;
  if (!(*stars >= 0 && *stars <= 5)) return std::nullopt;
  return Rating{*user, *movie, *stars};
}

std::uint64_t DigestOf(const std::vector<Rating>& list) {
  std::uint64_t digest = 0xcbf29ce484222325U;
  const auto take = [&digest](std::uint32_t value) {
    digest = (digest ^ value) * 0x100000001b3U;
  };
  for (const Rating& rating : list) {
    take(rating.user);
    take(rating.movie);
    take(static_cast<std::uint32_t>(2 * rating.stars));
  }
  return digest;
}

void RefuseDuplicates(const Ratings& ratings, const std::string& file) {
  std::vector<std::uint64_t> pairs;
  pairs.reserve(ratings.list.size());
  for (const Rating& rating : ratings.list) {
    pairs.push_back(std::uint64_t{rating.user} << 32U | rating.movie);
  }
  std::ranges::sort(pairs);
  const auto twice = std::ranges::adjacent_find(pairs);
  if (twice == pairs.end()) return;
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("{}: user {} has rated movie {} twice", file,
                          *twice >> 32U, *twice & 0xffffffffU));
}

}  // namespace

Ratings ReadRatings(const fs::path& path) {
  const fs::path file = FindFile(path);
  LineReader reader(file);
  Ratings ratings;
  while (const auto line = reader.Next()) {
    if (line->empty()) continue;
    const auto rating = Parse(*line);
    if (!rating) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("{} is not a rating, user::movie::stars: '{}'",
                              reader.Place(), line->substr(0, 40)));
    }
    ratings.users = std::max(ratings.users, rating->user);
    ratings.movies = std::max(ratings.movies, rating->movie);
    ratings.list.push_back(*rating);
  }
  if (ratings.list.empty()) {
    throw Error(ErrorCode::kIo,
                fmt::format("{} has no ratings", file.string()));
  }
  RefuseDuplicates(ratings, file.string());
  ratings.digest = DigestOf(ratings.list);
  return ratings;
}

}  // namespace manyarms::reproduction
