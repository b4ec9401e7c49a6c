#ifndef MANYARMS_SERVICE_ENGINE_LEARNER_BYTES_H_
#define MANYARMS_SERVICE_ENGINE_LEARNER_BYTES_H_

#include <cstdint>

#include "manyarms/population.h"

namespace manyarms::service {

/// The memory of a learner that has learned something, without its open
/// decisions: computed from the settings, and at most about a kilobyte too
/// much.
std::uint64_t LearnerBytes(const PopulationOptions& options);

/// Half of the memory of the machine.
std::uint64_t HalfOfMemory();

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_LEARNER_BYTES_H_
