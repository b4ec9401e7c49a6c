#ifndef MANYARMS_TESTS_SERVICE_HOSTILE_NUMPY_BODIES_H_
#define MANYARMS_TESTS_SERVICE_HOSTILE_NUMPY_BODIES_H_

#include <string>

#include "tests/service/hostile/chance.h"

namespace manyarms::hostile {

/// Ids and features as numpy.save writes them, mostly right.
std::string ArmsAsNumpy(bool named, Chance& chance);

/// The same with a header that lies.
std::string ForgedNumpy(bool named, Chance& chance);

}  // namespace manyarms::hostile

#endif  // MANYARMS_TESTS_SERVICE_HOSTILE_NUMPY_BODIES_H_
