#ifndef MANYARMS_SERVICE_API_NUMBERED_H_
#define MANYARMS_SERVICE_API_NUMBERED_H_

#include <fmt/format.h>

#include <cstdint>

#include "manyarms/error.h"
#include "service/engine/limits.h"

namespace manyarms::service {

/// Runs work; messages of what it throws then begin with the number of the line
/// or row that it worked on.
template <class Work>
void Numbered(const char* what, std::uint64_t number, const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{} {}: {}", what, number, error.what()));
  } catch (const Refused& refused) {
    throw Refused(refused.why(),
                  fmt::format("{} {}: {}", what, number, refused.what()));
  }
}

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_NUMBERED_H_
