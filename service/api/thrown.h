#ifndef MANYARMS_SERVICE_API_THROWN_H_
#define MANYARMS_SERVICE_API_THROWN_H_

#include <exception>

#include "service/api/http_error.h"

/// For tests.
namespace manyarms::service {

/// What the service answers if this throws; status 0 if it does not.
template <class Work>
Failure FailureIn(const Work& work) {
  try {
    work();
  } catch (...) {
    return FailureOf(std::current_exception());
  }
  return {0, ""};
}

template <class Work>
unsigned StatusIn(const Work& work) {
  return FailureIn(work).status;
}

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_THROWN_H_
