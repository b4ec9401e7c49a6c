#ifndef MANYARMS_SERVICE_STORE_STORE_STATE_H_
#define MANYARMS_SERVICE_STORE_STORE_STATE_H_

#include <string>

#include "service/store/committer.h"
#include "service/store/readers.h"
#include "service/store/store.h"

namespace manyarms::service {

// Readers are closed first, so that the writer is the last one, who leaves
// nothing in SQLite's log.
class Store::State {
 public:
  explicit State(const StoreOptions& options)
      : place(options.place), committer(options), readers(options.place) {}

  const std::string place;
  Committer committer;
  Readers readers;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_STORE_STORE_STATE_H_
