#ifndef MANYARMS_SERVICE_HTTP_HEAD_SCAN_H_
#define MANYARMS_SERVICE_HTTP_HEAD_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "service/http/refusal.h"

namespace manyarms::http {

inline constexpr std::size_t kMostTarget = std::size_t{8} << 10;

/// Whether there is a control character other than a tab.
bool HasControl(std::string_view text);

/// Finds where the head of a request ends while it arrives, and refuses heads
/// whose lines two readers could divide differently: a line feed or a carriage
/// return alone, a line that continues the one before, a control character.
class HeadScan {
 public:
  explicit HeadScan(std::size_t most_head) : most_head_(most_head) {}

  enum class Found : std::uint8_t { kPart, kWhole, kFlaw };

  /// `text` is all that has arrived of the head, and what follows it.
  Found Look(std::string_view text);

  /// After kWhole: where the head begins, because one empty line before it is
  /// skipped, and where it ends, with the empty line that ends it.
  std::size_t begin() const { return begin_; }
  std::size_t end() const { return next_; }
  /// After kFlaw.
  const Refusal& refusal() const { return refusal_; }

  void Restart();

 private:
  Found Refuse(Refusal refusal);
  Found Bad(const char* message);
  Found CheckLine(std::string_view line);

  std::size_t most_head_;
  std::size_t begin_ = 0;
  std::size_t line_ = 0;   // where the present line begins
  std::size_t next_ = 0;   // what has been looked at
  std::size_t lines_ = 0;  // lines that are complete
  Refusal refusal_;
};

}  // namespace manyarms::http

#endif  // MANYARMS_SERVICE_HTTP_HEAD_SCAN_H_
