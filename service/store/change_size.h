#ifndef MANYARMS_SERVICE_STORE_CHANGE_SIZE_H_
#define MANYARMS_SERVICE_STORE_CHANGE_SIZE_H_

#include <cstddef>

#include "service/store/changes.h"

namespace manyarms::service {

/// About how many bytes of memory a change takes.
std::size_t BytesOf(const Change& change);

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_STORE_CHANGE_SIZE_H_
