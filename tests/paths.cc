// The only file that is compiled with absolute paths: all others compile to the
// same object in every clone, so that ccache finds them.

#include "paths.h"

namespace manyarms::testing {

std::filesystem::path TestFolder() { return MANYARMS_TEST_FOLDER; }

std::filesystem::path Program() { return MANYARMS_PROGRAM; }

}  // namespace manyarms::testing
