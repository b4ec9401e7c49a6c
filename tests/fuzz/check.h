#ifndef MANYARMS_TESTS_FUZZ_CHECK_H_
#define MANYARMS_TESTS_FUZZ_CHECK_H_

#include <cstdlib>

namespace manyarms {

/// Ends the program unless it holds, so that libFuzzer keeps the input.
inline void Check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace manyarms

#endif  // MANYARMS_TESTS_FUZZ_CHECK_H_
