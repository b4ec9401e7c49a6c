#ifndef MANYARMS_THREADS_H_
#define MANYARMS_THREADS_H_

#include <cstddef>

namespace manyarms {

/// Certified search makes its orders beside the choices, on threads that all
/// bandits of the process share. This is their number: at first 1, or 0 on a
/// machine with one core. With 0 a choice that finds a new order worth while
/// makes it itself. Decisions are the same for any number.
std::size_t SurveyThreads();

/// Threads that are too many end when they have done what they are doing. May
/// be called by any thread at any time.
/// Throws Error(kInvalidArgument) for more than 1,024.
void SetSurveyThreads(std::size_t threads);

}  // namespace manyarms

#endif  // MANYARMS_THREADS_H_
