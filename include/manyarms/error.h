#ifndef MANYARMS_ERROR_H_
#define MANYARMS_ERROR_H_

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace manyarms {

/// Why a request could not be met.
enum class ErrorCode {
  kInvalidArgument,  ///< a value is outside its bounds; the message names both
  kDuplicateId,      ///< an id is in use already, or occurs twice in one call
  kUnknownId,        ///< no arm, or no pending decision, has this id
  kNoArms,           ///< a choice was asked for, but there are no arms
  kTooLarge,         ///< there is no room for this many arms or bytes
  kUnsupported,      ///< these options do not work together; see the message
  kOutdated,         ///< what it asks about has changed since; see the message
  kWrongAnswer,      ///< a check found that a search's answer was wrong
  kIo,               ///< a file or stream could not be read or written
  kCorrupt,          ///< a file has the wrong format, or is damaged
};

/// The exception that the library throws when a request cannot be met. The
/// object whose method threw is unchanged.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message)
      : std::runtime_error(message), code_(code) {}

  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

/// A file could not be read or written (kIo). Carries the system's reason.
class FileError : public Error {
 public:
  /// `what` says what was tried; `system_error` is a value of errno.
  FileError(const std::string& what, std::filesystem::path path,
            int system_error)
      : FileError(what, std::move(path), system_error,
                  std::generic_category().message(system_error)) {}

  /// With a reason that is plainer than the system's.
  FileError(const std::string& what, std::filesystem::path path,
            int system_error, std::string reason)
      : Error(ErrorCode::kIo, what + ' ' + path.string() + ": " + reason),
        path_(std::move(path)),
        system_error_(system_error),
        reason_(std::move(reason)) {}

  const std::filesystem::path& path() const { return path_; }
  int system_error() const { return system_error_; }
  const std::string& reason() const { return reason_; }

 private:
  std::filesystem::path path_;
  int system_error_;
  std::string reason_;
};

}  // namespace manyarms

#endif  // MANYARMS_ERROR_H_
