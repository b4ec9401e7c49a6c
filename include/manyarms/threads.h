#ifndef MANYARMS_THREADS_H_
#define MANYARMS_THREADS_H_

#include <cstddef>

namespace manyarms {

/// The number of threads on which certified search takes its surveys while
/// choices continue. All bandits of the process share these threads. Their
/// number is 1 at first, or 0 on a machine with one core. With 0, a choice that
/// finds a survey worth its price takes it itself. Decisions are the same for
/// any number. The first thread starts when the first bandit with certified
/// search is made, others when they are needed.
std::size_t SurveyThreads();

/// Sets this number. If it becomes smaller, threads end as soon as they have
/// finished their surveys. May be called by any thread at any time.
/// Throws Error(kInvalidArgument) for more than 1,024.
void SetSurveyThreads(std::size_t threads);

}  // namespace manyarms

#endif  // MANYARMS_THREADS_H_
