#ifndef MANYARMS_LOG_LINE_READER_H_
#define MANYARMS_LOG_LINE_READER_H_

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string_view>
#include <vector>

namespace manyarms {

/// Divides a stream into lines of at most kMaxLogLine bytes. It holds about
/// that much in memory.
class LineReader {
 public:
  /// The stream must outlive the reader.
  explicit LineReader(std::istream& in);

  enum class Found {
    kLine,
    kTorn,  ///< the last line, which has no end
    kEnd,
  };

  /// Finds the next line, which is valid until the next call. Throws
  /// Error(kCorrupt) for a line that is too long, and Error(kIo).
  Found Next(std::string_view& line);

  /// The number of lines found.
  std::uint64_t lines() const { return lines_; }

  /// The number of bytes in them.
  std::uint64_t bytes() const { return bytes_; }

 private:
  void Fill();

  std::istream& in_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of what was not returned yet
  std::size_t end_ = 0;
  bool at_end_ = false;
  std::uint64_t lines_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_LOG_LINE_READER_H_
