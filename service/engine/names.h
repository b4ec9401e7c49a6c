#ifndef MANYARMS_SERVICE_ENGINE_NAMES_H_
#define MANYARMS_SERVICE_ENGINE_NAMES_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "service/engine/arm_info.h"

/// Names, keys, events and tags: texts that clients give.
namespace manyarms::service {

/// Throws Error(kInvalidArgument), which names the field, for a text longer
/// than `most` bytes, that is not UTF-8, or that contains a zero byte.
void CheckText(std::string_view field, std::string_view text, std::size_t most);

/// Throws for an empty text, too.
void CheckName(std::string_view field, std::string_view text, std::size_t most);

/// The text as JSON, for messages.
std::string Quoted(std::string_view text);

/// An arm for messages: a number, or a text as JSON.
std::string ToString(const ArmName& arm);

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_NAMES_H_
