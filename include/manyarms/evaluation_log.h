#ifndef MANYARMS_EVALUATION_LOG_H_
#define MANYARMS_EVALUATION_LOG_H_

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <variant>
#include <vector>

#include "manyarms/choice_reader.h"
#include "manyarms/evaluation.h"
#include "manyarms/logged_choice.h"
#include "manyarms/logged_event.h"
#include "manyarms/names.h"
#include "manyarms/types.h"

namespace manyarms {

/// A log, read for evaluation. Choices stand where they were made, and not
/// where their rewards came: among the changes of arms, that is where it
/// matters.
struct EvaluationLog {
  /// From here on the arm has these features, or does not exist if they are
  /// empty.
  struct Change {
    std::uint64_t line = 0;
    ArmId arm = 0;
    std::vector<float> features;
  };
  /// A reward that belongs to no decision.
  struct Observation {
    LoggedChoice reward;
  };
  using Event = std::variant<LoggedChoice, Change, Observation>;

  std::filesystem::path path;  ///< empty if it was read from a stream
  LogHeader header;
  std::vector<Event> events;
  std::uint64_t choices = 0;         ///< events that are choices
  std::uint64_t uniform = 0;         ///< choices that were uniform
  std::uint64_t changes = 0;         ///< events that are changes of arms
  std::uint64_t without_reward = 0;  ///< left out, or given the default
  /// If arms have names: their numbers in `events`.
  Names names;
};

/// Throws what ReadChoices throws.
EvaluationLog ReadEvaluationLog(const std::filesystem::path& path,
                                const ReadChoicesOptions& options = {});
EvaluationLog ReadEvaluationLog(std::istream& in,
                                const ReadChoicesOptions& options = {});

/// As Evaluate and Replay of evaluation.h, for a log whose arms may change.
/// `arms` are those that were there before the log began; none if it says of
/// all arms when they came. Rewards that belong to no decision are learned
/// where they stand: by Evaluate if that is before the first choice that is
/// evaluated, and by Replay wherever it is. Errors name the path, and arms by
/// their names.
Evaluation Evaluate(const EvaluationLog& log, const FixedArms& arms,
                    const EvaluationOptions& options, double learn_share = 0.5,
                    const EvaluationProgress& progress = {});
ReplayResult Replay(const EvaluationLog& log, const FixedArms& arms,
                    const ReplayOptions& options,
                    const EvaluationProgress& progress = {});

}  // namespace manyarms

#endif  // MANYARMS_EVALUATION_LOG_H_
