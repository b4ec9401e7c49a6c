#include "log/line_reader.h"

#include <fmt/format.h>

#include <cstring>

#include "manyarms/error.h"
#include "manyarms/logged_event.h"

namespace manyarms {

// A line with its end always fits.
LineReader::LineReader(std::istream& in) : in_(in), buffer_(kMaxLogLine + 1) {}

void LineReader::Fill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  in_.read(buffer_.data() + end_,
           static_cast<std::streamsize>(buffer_.size() - end_));
  end_ += static_cast<std::size_t>(in_.gcount());
  at_end_ = !in_;
  if (in_.bad()) {
    throw Error(ErrorCode::kIo, "the log cannot be read");
  }
}

LineReader::Found LineReader::Next(std::string_view& line) {
  std::size_t searched = 0;
  for (;;) {
    const char* const from = buffer_.data() + begin_;
    const void* const found =
        std::memchr(from + searched, '\n', end_ - begin_ - searched);
    if (found != nullptr) {
      line = {from,
              static_cast<std::size_t>(static_cast<const char*>(found) - from)};
      begin_ += line.size() + 1;
      ++lines_;
      bytes_ += line.size() + 1;
      return Found::kLine;
    }
    searched = end_ - begin_;
    if (at_end_) break;
    if (searched > kMaxLogLine) {
      ++lines_;
      throw Error(ErrorCode::kCorrupt,
                  fmt::format("it is longer than {} bytes", kMaxLogLine));
    }
    Fill();
  }
  if (searched == 0) return Found::kEnd;
  line = {buffer_.data() + begin_, searched};
  begin_ = end_;
  ++lines_;
  bytes_ += searched;
  return Found::kTorn;
}

}  // namespace manyarms
