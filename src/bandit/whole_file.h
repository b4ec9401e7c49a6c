#ifndef MANYARMS_BANDIT_WHOLE_FILE_H_
#define MANYARMS_BANDIT_WHOLE_FILE_H_

#include <filesystem>
#include <functional>
#include <ostream>

namespace manyarms {

/// Writes a file whole or not at all: whatever happens meanwhile, `path` names
/// what was there before or all of the new contents. What `write` cannot write
/// it may leave to the stream's state. Throws FileError, and what `write` does.
///
/// The contents go to a temporary file beside the target. A process that is
/// killed leaves it there, and the next call for the same target removes it.
/// Any number of threads and processes may write to one target at the same
/// time.
void WriteWhole(const std::filesystem::path& path,
                const std::function<void(std::ostream&)>& write);

}  // namespace manyarms

#endif  // MANYARMS_BANDIT_WHOLE_FILE_H_
