#ifndef MANYARMS_CLI_OUTPUT_H_
#define MANYARMS_CLI_OUTPUT_H_

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace manyarms::cli {

/// Where results go: standard output, or a file. Throws Error(kIo) when a
/// file cannot be opened or anything cannot be written.
class Output {
 public:
  /// An empty path or "-" stands for standard output.
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Writes the text and a line's end, and sees to it that it got there.
  void Line(std::string_view text);

 private:
  std::string name_;
  std::FILE* file_;
};

/// 1234567 as "1,234,567".
std::string Grouped(std::uint64_t value);

}  // namespace manyarms::cli

#endif  // MANYARMS_CLI_OUTPUT_H_
