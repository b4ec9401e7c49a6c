#ifndef MANYARMS_SHARDS_SURVEY_SCHEDULE_H_
#define MANYARMS_SHARDS_SURVEY_SCHEDULE_H_

#include <algorithm>
#include <cstdint>
#include <utility>

namespace manyarms {

/// Decides when a learner wants a survey of its shards: when some choices had
/// to be sent since the last one, and less and less often while surveys are of
/// no use.
class SurveySchedule {
 public:
  void Chose(bool sent) {
    ++choices_;
    if (sent) ++sent_;
  }

  bool due() const { return sent_ >= kSent * wait_factor_; }

  /// A survey was adopted. The one before it was of use if most choices since
  /// then did not have to be sent.
  void Adopted() {
    if (std::exchange(has_survey_, true)) {
      wait_factor_ = 2 * sent_ > choices_ ? Longer() : 1;
    }
    choices_ = sent_ = 0;
  }

  /// A survey would not have paid, or was given up.
  void Failed() {
    wait_factor_ = Longer();
    choices_ = sent_ = 0;
  }

  /// There are no ceilings any more.
  void Dropped() { has_survey_ = false; }

 private:
  static constexpr std::uint64_t kSent = 8;
  static constexpr std::uint64_t kLongestWait = 64;

  std::uint64_t Longer() const {
    return std::min(2 * wait_factor_, kLongestWait);
  }

  bool has_survey_ = false;
  std::uint64_t choices_ = 0;  // since the last survey
  std::uint64_t sent_ = 0;
  std::uint64_t wait_factor_ = 1;
};

}  // namespace manyarms

#endif  // MANYARMS_SHARDS_SURVEY_SCHEDULE_H_
