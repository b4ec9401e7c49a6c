#ifndef MANYARMS_SERVICE_ENGINE_RESERVE_GROWING_H_
#define MANYARMS_SERVICE_ENGINE_RESERVE_GROWING_H_

#include <algorithm>
#include <cstddef>

namespace manyarms::service {

/// Makes room for this number of values in all. Unlike reserve() it grows as
/// push_back does, so that many small calls cost little.
template <class Vector>
void ReserveGrowing(Vector& vector, std::size_t size) {
  if (size > vector.capacity()) {
    vector.reserve(std::max(size, 2 * vector.capacity()));
  }
}

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_RESERVE_GROWING_H_
