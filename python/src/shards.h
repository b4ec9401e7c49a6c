#ifndef MANYARMS_PYTHON_SHARDS_H_
#define MANYARMS_PYTHON_SHARDS_H_

#include <nanobind/nanobind.h>

namespace manyarms::python {

/// Binds ArmShard and ShardedBandit. Ids are ints, messages are bytes.
void BindArmShard(nanobind::module_& module);
void BindShardedBandit(nanobind::module_& module);

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_SHARDS_H_
