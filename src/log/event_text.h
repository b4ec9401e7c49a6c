#ifndef MANYARMS_LOG_EVENT_TEXT_H_
#define MANYARMS_LOG_EVENT_TEXT_H_

#include <string>
#include <string_view>

#include "log/event_fields.h"
#include "manyarms/logged_event.h"

namespace manyarms {

/// Throws Error(kInvalidArgument) for an event that no log with this header can
/// have.
void CheckEvent(const LogEvent& event, const LogHeader& header);

/// Appends the event as JSON, without an end of the line. REQUIRES: it was
/// checked.
void AppendEvent(const LogEvent& event, std::string& line);

/// Reads an event from the fields of a line. Takes what is in the fields, and
/// reuses the memory of `event`. Throws Error(kCorrupt) for fields that are
/// missing and events that there are not.
void TakeEvent(EventFields& fields, LogEvent& event);

/// Throws Error(kInvalidArgument).
void CheckHeader(const LogHeader& header);

/// REQUIRES: it was checked.
void AppendHeader(const LogHeader& header, std::string& line);

/// Throws Error(kCorrupt) or Error(kInvalidArgument), which is about a number
/// out of bounds, and Error(kUnsupported) for a later format.
LogHeader ParseHeader(std::string_view line);

}  // namespace manyarms

#endif  // MANYARMS_LOG_EVENT_TEXT_H_
