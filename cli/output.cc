#include "output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "manyarms/error.h"

namespace manyarms::cli {

Output::Output(const std::string& path)
    : name_(path.empty() || path == "-" ? "standard output" : path),
      file_(name_ == path ? std::fopen(path.c_str(), "w") : stdout) {
  if (file_ == nullptr) {
    throw Error(ErrorCode::kIo, fmt::format("cannot open {} for writing: {}",
                                            path, std::strerror(errno)));
  }
}

Output::~Output() {
  if (file_ != stdout) std::fclose(file_);
}

void Output::Line(std::string_view text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), file_) == text.size() &&
      std::fputc('\n', file_) != EOF && std::fflush(file_) == 0;
  if (!written) {
    throw Error(ErrorCode::kIo, fmt::format("cannot write to {}: {}", name_,
                                            std::strerror(errno)));
  }
}

std::string Grouped(std::uint64_t value) {
  const std::string digits = std::to_string(value);
  std::string grouped;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

}  // namespace manyarms::cli
