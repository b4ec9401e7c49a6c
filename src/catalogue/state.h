#ifndef MANYARMS_CATALOGUE_STATE_H_
#define MANYARMS_CATALOGUE_STATE_H_

#include "catalogue/arm_store.h"
#include "manyarms/catalogue.h"

namespace manyarms {

struct Catalogue::State {
  explicit State(std::size_t dim) : store(dim) {}

  ArmStore store;
};

}  // namespace manyarms

#endif  // MANYARMS_CATALOGUE_STATE_H_
