#ifndef MANYARMS_LOG_ARM_KIND_H_
#define MANYARMS_LOG_ARM_KIND_H_

#include <optional>
#include <string>

#include "manyarms/error.h"
#include "manyarms/logged_event.h"

namespace manyarms {

/// Sees to it that all arms of a log have numbers, or all have names.
class ArmKind {
 public:
  /// Throws Error(kInvalidArgument) for an arm of the other kind.
  void Check(const LogEvent& event) {
    const LoggedArm* const arm = ArmOf(event);
    if (arm == nullptr) return;
    const bool has_name = std::holds_alternative<std::string>(*arm);
    if (!named_) named_ = has_name;
    if (*named_ == has_name) return;
    throw Error(ErrorCode::kInvalidArgument,
                has_name ? "the arm has a name, and earlier arms of the log "
                           "have numbers"
                         : "the arm has a number, and earlier arms of the log "
                           "have names");
  }

  bool known() const { return named_.has_value(); }

 private:
  static const LoggedArm* ArmOf(const LogEvent& event) {
    if (const auto* decision = std::get_if<LoggedDecision>(&event)) {
      return &decision->arm;
    }
    if (const auto* change = std::get_if<LoggedArmChange>(&event)) {
      return &change->arm;
    }
    const auto* observation = std::get_if<LoggedObservation>(&event);
    return observation != nullptr && observation->arm ? &*observation->arm
                                                      : nullptr;
  }

  std::optional<bool> named_;
};

}  // namespace manyarms

#endif  // MANYARMS_LOG_ARM_KIND_H_
