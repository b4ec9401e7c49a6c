#include "output.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "manyarms/error.h"

namespace manyarms::cli {
namespace {

std::string SystemError() { return std::generic_category().message(errno); }

}  // namespace

Output::Output(const std::string& path)
    : name_(path.empty() || path == "-" ? "standard output" : path),
      file_(name_ == path ? std::fopen(path.c_str(), "w") : stdout) {
  if (file_ == nullptr) {
    throw Error(ErrorCode::kIo, fmt::format("cannot open {} for writing: {}",
                                            path, SystemError()));
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
    throw Error(ErrorCode::kIo,
                fmt::format("cannot write to {}: {}", name_, SystemError()));
  }
}

}  // namespace manyarms::cli
