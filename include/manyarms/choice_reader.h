#ifndef MANYARMS_CHOICE_READER_H_
#define MANYARMS_CHOICE_READER_H_

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "manyarms/log.h"
#include "manyarms/logged_choice.h"
#include "manyarms/logged_event.h"
#include "manyarms/names.h"

namespace manyarms {

/// A decision with its reward, if there was one.
struct JoinedChoice {
  std::uint64_t line = 0;  ///< the decision's
  LoggedDecision decision;
  std::optional<double> reward = std::nullopt;
};

/// Joins the decisions of a log with their rewards. Decisions wait in memory
/// for their rewards, so it takes as much as the log has decisions that wait at
/// the same time.
class ChoiceReader {
 public:
  explicit ChoiceReader(LogReader reader);
  ~ChoiceReader();
  ChoiceReader(ChoiceReader&&) noexcept;
  ChoiceReader& operator=(ChoiceReader&&) noexcept;

  /// An event that is no decision and no reward of one.
  using Other = std::variant<LoggedObservation, LoggedArmChange>;

  /// Reads the next choice; returns false at the end. Choices come in the order
  /// of their rewards; those without one follow, in the order of their lines.
  /// Throws Error(kCorrupt) for a reward of a decision that is not there or has
  /// its reward, and for a decision that is there twice.
  bool Next(JoinedChoice& choice);

  /// As Next, but other events are returned, too, in their place.
  bool Next(std::variant<JoinedChoice, Other>& event);

  const LogReader& reader() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct ReadChoicesOptions {
  /// What decisions without a reward had. None: they are left out.
  std::optional<double> default_reward = std::nullopt;
  bool ignore_torn_tail = false;
};

struct LoggedChoices {
  LogHeader header;
  std::vector<LoggedChoice> choices;  ///< in the order of ChoiceReader
  std::uint64_t without_reward = 0;   ///< left out, or given the default
  /// If arms have names: their numbers in `choices`.
  Names names;
};

/// All choices of a log at once. Throws what LogReader and ChoiceReader throw,
/// and Error(kInvalidArgument) for a default that no reward can be.
LoggedChoices ReadChoices(const std::filesystem::path& path,
                          const ReadChoicesOptions& options = {});
LoggedChoices ReadChoices(std::istream& in,
                          const ReadChoicesOptions& options = {});

}  // namespace manyarms

#endif  // MANYARMS_CHOICE_READER_H_
