#ifndef MANYARMS_TESTS_SERVICE_HOSTILE_HOSTILE_BODIES_H_
#define MANYARMS_TESTS_SERVICE_HOSTILE_HOSTILE_BODIES_H_

#include <string>

#include "tests/service/hostile/chance.h"

namespace manyarms::hostile {

/// Changes bytes, tokens or values of a JSON text, so that it is wrong in some
/// way, most of the time.
std::string MutatedJson(std::string text, Chance& chance);

/// Changes, inserts and deletes some bytes.
std::string MutatedBytes(std::string text, Chance& chance);

}  // namespace manyarms::hostile

#endif  // MANYARMS_TESTS_SERVICE_HOSTILE_HOSTILE_BODIES_H_
