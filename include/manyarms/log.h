#ifndef MANYARMS_LOG_H_
#define MANYARMS_LOG_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <string>

#include "manyarms/error.h"
#include "manyarms/logged_event.h"

/// Logs of decisions and rewards as lines of JSON (docs/log.md).
namespace manyarms {

/// Writes a log. Callers take turns: a writer may move between threads, but
/// not be used by two at the same time.
///
/// Every event is checked (Error(kInvalidArgument), or Error(kTooLarge) for one
/// that does not fit into a line; Error(kDuplicateId) for a decision that is in
/// the log already; Error(kUnknownId) for a reward of a decision that is not in
/// the log or has its reward there) and then written by one call of the system.
/// From then on the system has it, so that it survives the end of this process.
/// If it cannot be written whole, FileError is thrown, what was written of it
/// is cut off, and the event can be tried again. (A stream may hold events
/// back, and throws Error(kIo).)
///
/// A writer remembers the numbers of decisions: that takes about 300 bytes for
/// each learner, and about 64 for each gap in the numbers of its decisions or
/// of those with a reward.
class LogWriter {
 public:
  enum class Mode {
    /// Continues the log that is there, or begins one. The log is read through
    /// to know its decisions, which takes some seconds for a million events.
    /// What a killed writer has left of a last line is cut off. Throws
    /// Error(kCorrupt) if the file is no log or a damaged one, and
    /// Error(kInvalidArgument) for a log with other dimensions or
    /// another kind of rewards, or one of a bandit in place of a population.
    kAppend,
    kNew,  ///< begins a log; an Error if there is a file
  };

  /// A file is locked as long as the writer lives: there can be only one.
  LogWriter(const std::filesystem::path& path, const LogHeader& header,
            Mode mode = Mode::kAppend);
  /// Begins a log in a stream, which must outlive the writer.
  LogWriter(std::ostream& out, const LogHeader& header);
  ~LogWriter();
  LogWriter(LogWriter&&) noexcept;
  LogWriter& operator=(LogWriter&&) noexcept;

  void Write(const LogEvent& event);

  /// Hands over what a stream still holds. Files hold nothing back.
  void Flush();

  /// Waits until all events are on the disk and survive a power cut. (Of a
  /// stream it does what Flush does.)
  void Sync();

  /// That of the log, which another writer may have begun.
  const LogHeader& header() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct LogReadOptions {
  /// A last line without an end, which a killed writer leaves or which a writer
  /// is just writing, is left out. Otherwise it is an Error(kCorrupt).
  bool ignore_torn_tail = false;
};

/// Reads a log event by event, with little memory. Errors name the file and the
/// line: Error(kCorrupt) for whatever is not as docs/log.md says, and
/// Error(kUnsupported) for a format of a later version. After an error the
/// reader must not be used any more.
class LogReader {
 public:
  explicit LogReader(const std::filesystem::path& path,
                     const LogReadOptions& options = {});
  /// The stream must outlive the reader.
  explicit LogReader(std::istream& in, const LogReadOptions& options = {});
  ~LogReader();
  LogReader(LogReader&&) noexcept;
  LogReader& operator=(LogReader&&) noexcept;

  const LogHeader& header() const;

  /// Reads the next event; returns false at the end. It reuses the memory of
  /// `event`. Whether rewards have decisions is checked by ChoiceReader.
  bool Next(LogEvent& event);

  /// The line of the last event, counted from 1.
  std::uint64_t line() const;

  /// The share of the file that was read; 0 if its length is not known.
  double Progress() const;

  /// Throws `code` with a message that begins with the file and the line.
  [[noreturn]] void Fail(ErrorCode code, const std::string& message) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace manyarms

#endif  // MANYARMS_LOG_H_
