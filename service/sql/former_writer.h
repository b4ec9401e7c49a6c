#ifndef MANYARMS_SERVICE_SQL_FORMER_WRITER_H_
#define MANYARMS_SERVICE_SQL_FORMER_WRITER_H_

#include <sys/types.h>

#include <optional>
#include <string>

namespace manyarms::sql {

/// The process that holds a lock file, if it is another process of this machine
/// that this one can see.
std::optional<pid_t> HolderOf(const std::string& lock_file);

/// Ends that process. Returns whether there was one.
bool EndHolderOf(const std::string& lock_file);

}  // namespace manyarms::sql

#endif  // MANYARMS_SERVICE_SQL_FORMER_WRITER_H_
