#ifndef MANYARMS_CLI_OUTPUT_H_
#define MANYARMS_CLI_OUTPUT_H_

#include <cstdio>
#include <string>
#include <string_view>

namespace manyarms::cli {

/// Writes results to standard output or to a file. Methods throw Error(kIo) if
/// the file cannot be opened or written.
class Output {
 public:
  /// An empty path or "-" stands for standard output.
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Writes the text and a newline, and flushes.
  void Line(std::string_view text);

 private:
  std::string name_;
  std::FILE* file_;
};

}  // namespace manyarms::cli

#endif  // MANYARMS_CLI_OUTPUT_H_
