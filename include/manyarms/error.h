#ifndef MANYARMS_ERROR_H_
#define MANYARMS_ERROR_H_

#include <stdexcept>
#include <string>

namespace manyarms {

/// What kind of request could not be met.
enum class ErrorCode {
  kInvalidArgument,  ///< a value outside its bounds; the message names both
  kDuplicateId,      ///< an arm with this id is already there
  kUnknownId,        ///< no arm with this id
  kNoArms,           ///< a choice was asked of an empty catalogue
  kTooLarge,         ///< more arms or memory than there is room for
  kUnsupported,      ///< a combination that cannot work; the message says why
  kWrongAnswer,      ///< a counter-check found a search to be wrong
  kIo,               ///< a file or stream could not be read or written
  kCorrupt,          ///< a file is not what it should be, or not whole
};

/// What the library throws when a caller asks for something that cannot be
/// done. The object whose method threw is as it was before. (kWrongAnswer is
/// the exception: nobody asked for it, and the choice counts as made.)
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message)
      : std::runtime_error(message), code_(code) {}

  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace manyarms

#endif  // MANYARMS_ERROR_H_
