#ifndef MANYARMS_BANDIT_WHOLE_FILE_H_
#define MANYARMS_BANDIT_WHOLE_FILE_H_

#include <filesystem>
#include <functional>
#include <ostream>

namespace manyarms {

/// Writes a file whole or not at all: at any time `path` names the earlier file
/// or the complete new one. `write` need not check the stream, whose state is
/// checked afterwards. Throws FileError, and what `write` throws.
///
/// The contents go to a temporary file beside the target. A process that is
/// killed leaves it there, and the next call for the same target removes it.
/// Any number of threads and processes may write to one target at the same
/// time.
void WriteWhole(const std::filesystem::path& path,
                const std::function<void(std::ostream&)>& write);

}  // namespace manyarms

#endif  // MANYARMS_BANDIT_WHOLE_FILE_H_
