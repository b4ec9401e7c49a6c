#ifndef MANYARMS_TESTS_PATHS_H_
#define MANYARMS_TESTS_PATHS_H_

#include <filesystem>

namespace manyarms::testing {

/// The folder tests/ of the sources.
std::filesystem::path TestFolder();

/// The program `manyarms` of this build.
std::filesystem::path Program();

}  // namespace manyarms::testing

#endif  // MANYARMS_TESTS_PATHS_H_
