// Only this file is compiled with absolute paths. All others have the same
// object code in every clone, so that ccache can reuse it.

#include "paths.h"

namespace manyarms::testing {

std::filesystem::path TestFolder() { return MANYARMS_TEST_FOLDER; }

std::filesystem::path Program() { return MANYARMS_PROGRAM; }

}  // namespace manyarms::testing
