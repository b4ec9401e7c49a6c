#ifndef MANYARMS_ERROR_H_
#define MANYARMS_ERROR_H_

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace manyarms {

/// What kind of request could not be met.
enum class ErrorCode {
  kInvalidArgument,  ///< a value outside its bounds; the message names both
  kDuplicateId,      ///< an id that is there already, or twice in one call
  kUnknownId,        ///< no arm, or no pending decision, with this id
  kNoArms,           ///< a choice was asked of an empty catalogue
  kTooLarge,         ///< more arms or memory than there is room for
  kUnsupported,      ///< a combination that cannot work; the message says why
  kWrongAnswer,      ///< a counter-check found a search to be wrong
  kIo,               ///< a file or stream could not be read or written
  kCorrupt,          ///< a file is not what it should be, or not whole
};

/// What the library throws when a caller asks for something that cannot be
/// done. The object whose method threw is as it was before.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message)
      : std::runtime_error(message), code_(code) {}

  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

/// A file that could not be read or written (kIo), with the system's reason.
class FileError : public Error {
 public:
  /// `what` is what was tried; `system_error` a value of errno.
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
