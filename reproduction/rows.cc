#include "reproduction/rows.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <system_error>

#include "manyarms/error.h"

namespace manyarms::reproduction {
namespace {

std::string SystemError() { return std::generic_category().message(errno); }

// Rounds to six significant digits, which are enough for plots.
double Rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - 5);
  return unit >= 1 ? std::round(value / unit) * unit
                   : std::round(value / unit) / std::round(1 / unit);
}

// The counts without the empty buckets at the end.
Json Counts(const LatencyHistogram& histogram) {
  std::size_t used = histogram.counts.size();
  while (used > 0 && histogram.counts[used - 1] == 0) --used;
  return std::vector<std::uint64_t>(
      histogram.counts.begin(),
      histogram.counts.begin() + static_cast<std::ptrdiff_t>(used));
}

// Whether the row has all fields that the tables need.
bool IsRow(const Json& row) {
  const auto has = [](const Json& json,
                      std::initializer_list<const char*> keys) {
    return json.is_object() && std::ranges::all_of(keys, [&json](auto* key) {
             return json.contains(key);
           });
  };
  if (!has(row, {"settings", "regret", "curve", "times", "origin",
                 "arms_scored", "recoveries", "decision_digest"}) ||
      !has(row["settings"], {"world", "bandit", "seed"}) ||
      !has(row["settings"]["world"], {"kind", "steps"}) ||
      !has(row["curve"], {"step", "regret"}) ||
      !has(row["times"], {"setup_seconds", "run_seconds", "curve_seconds",
                          "latency_counts"}) ||
      !has(row["origin"], {"cpu", "cores", "memory_bytes", "system", "threads",
                           "version", "commit", "compiler"})) {
    return false;
  }
  const bool movielens = row["settings"]["world"]["kind"] == "movielens";
  if (movielens ? !has(row, {"data"})
                : !has(row["settings"]["world"], {"theta_seed"})) {
    return false;
  }
  const Json& curve = row["curve"];
  return row["regret"].is_number() && curve["step"].is_array() &&
         !curve["step"].empty() &&
         curve["step"].size() == curve["regret"].size() &&
         curve["step"].size() == row["times"]["curve_seconds"].size();
}

}  // namespace

Json MakeRow(const Json& settings, const RunResult& result, const Json& data,
             const Json& origin) {
  std::vector<std::uint64_t> steps;
  std::vector<double> regret;
  std::vector<double> seconds;
  for (const CurvePoint& point : result.curve) {
    steps.push_back(point.step);
    regret.push_back(Rounded(point.regret));
    seconds.push_back(Rounded(point.run_seconds));
  }
  Json row = {
      {"settings", settings},
      {"regret", result.regret},
      {"curve", {{"step", steps}, {"regret", regret}}},
      {"arms_scored", result.stats.arms_scored},
      {"recoveries", result.stats.recoveries},
      {"decision_digest", fmt::format("{:016x}", result.decision_digest)},
      {"times",
       {{"setup_seconds", result.setup_seconds},
        {"run_seconds", result.run_seconds},
        {"curve_seconds", seconds},
        {"latency_us",
         {{"p50", result.latency.p50},
          {"p99", result.latency.p99},
          {"p999", result.latency.p999},
          {"max", result.latency.max}}},
        {"latency_counts", Counts(result.latency_histogram)}}},
      {"origin", origin}};
  if (!data.is_null()) row["data"] = data;
  return row;
}

ReadRows ReadRowFile(const std::filesystem::path& path) {
  ReadRows read;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return read;
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path, ignored)) {
    throw Error(ErrorCode::kIo, fmt::format("cannot read {}", path.string()));
  }
  std::string line;
  for (std::uint64_t number = 1; std::getline(file, line); ++number) {
    if (line.empty()) continue;
    Json row = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (IsRow(row)) {
      std::string key = row["settings"].dump();
      read.rows.insert_or_assign(std::move(key), std::move(row));
    } else {
      read.complaints.push_back(fmt::format(
          "{}, line {}, is not a complete row", path.string(), number));
    }
  }
  if (file.bad()) {
    throw Error(ErrorCode::kIo,
                fmt::format("cannot read {} to its end", path.string()));
  }
  return read;
}

RowFile::RowFile(const std::filesystem::path& path)
    : name_(path.string()),
      file_(open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
  if (file_ < 0) {
    throw Error(ErrorCode::kIo,
                fmt::format("cannot write to {}: {}", name_, SystemError()));
  }
  // Two processes that write to one file would do the same runs twice.
  if (flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(file_);
    throw Error(ErrorCode::kIo,
                fmt::format("another run is writing to {}", name_));
  }
  const off_t size = lseek(file_, 0, SEEK_END);
  char last = '\n';
  after_partial_line_ =
      size > 0 && pread(file_, &last, 1, size - 1) == 1 && last != '\n';
}

RowFile::~RowFile() { close(file_); }

void RowFile::Append(const Json& row) {
  Write(fmt::format("{}{}\n", after_partial_line_ ? "\n" : "", row.dump()));
  after_partial_line_ = false;
}

void RowFile::Write(const std::string& text) {
  const off_t before = lseek(file_, 0, SEEK_END);
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count =
        write(file_, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const std::string reason = SystemError();
      // Removes the partial row. If that fails, the row is skipped when the
      // file is read.
      if (ftruncate(file_, before) != 0) errno = 0;
      throw Error(ErrorCode::kIo,
                  fmt::format("cannot write to {}: {}; the rows before this "
                              "one are kept",
                              name_, reason));
    }
    written += static_cast<std::size_t>(count);
  }
}

}  // namespace manyarms::reproduction
