#ifndef MANYARMS_LOG_PAST_EVENTS_H_
#define MANYARMS_LOG_PAST_EVENTS_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "manyarms/error.h"
#include "manyarms/learner_key.h"
#include "manyarms/log.h"
#include "manyarms/logged_event.h"

namespace manyarms {

// NOLINTBEGIN(readability-redundant-member-init): g++ warns without them.
/// A reward that somebody got for an arm, or a change of arms.
struct PastEvent {
  enum class Kind {
    kReward,
    kArm,  ///< the arm has these features from here on
    kArmRemoved,
  };
  Kind kind = Kind::kReward;
  /// Where the features and the arm stand. Of a logged decision's reward that
  /// is the decision's line, so that it can be before those of earlier events.
  std::uint64_t line = 0;
  std::optional<LearnerKey> learner = std::nullopt;
  std::optional<LoggedArm> arm = std::nullopt;
  std::vector<float> features = {};  ///< empty if only the arm is known
  std::vector<float> context = {};
  double reward = 0;
};
// NOLINTEND(readability-redundant-member-init)

/// Reads past events from a log, or from lines of JSON that somebody else has
/// written (docs/log.md). Errors name the file and the line. Features, contexts
/// and rewards of others are not checked.
class PastEvents {
 public:
  /// Throws FileError, and what LogReader throws. The options are for logs: the
  /// last line of others need not end.
  explicit PastEvents(const std::filesystem::path& path,
                      const LogReadOptions& options = {});
  ~PastEvents();
  PastEvents(PastEvents&&) noexcept;
  PastEvents& operator=(PastEvents&&) noexcept;

  /// That of a log; none if the lines are somebody else's.
  const std::optional<LogHeader>& header() const;

  /// Returns false at the end.
  bool Next(PastEvent& event);

  /// The event that Next will return, or null at the end.
  const PastEvent* Peek();

  /// The decisions of a log without a reward, which are left out.
  std::uint64_t without_reward() const;

  double Progress() const;

  /// Calls work(), and names the file and the line of the last event in its
  /// errors.
  template <class Work>
  void Named(const Work& work) const {
    try {
      work();
    } catch (const Error& error) {
      Fail(error);
    }
  }

 private:
  [[noreturn]] void Fail(const Error& error) const;

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace manyarms

#endif  // MANYARMS_LOG_PAST_EVENTS_H_
