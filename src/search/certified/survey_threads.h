#ifndef MANYARMS_SEARCH_CERTIFIED_SURVEY_THREADS_H_
#define MANYARMS_SEARCH_CERTIFIED_SURVEY_THREADS_H_

#include <functional>

namespace manyarms {

/// The threads that survey arms for all finders of the process. There are at
/// most SurveyThreads() of them (manyarms/threads.h), and no queue: a finder
/// that finds no free thread tries again later.
class SurveyPool {
 public:
  enum class Start { kStarted, kBusy, kNoThread };

  /// Starts a thread if there is none. The first survey would have to do it
  /// otherwise, which takes longer than planning the survey.
  static void Prepare();

  /// Runs `work` on a thread that has nothing else to do. kNoThread means that
  /// SurveyThreads() is 0 or that the system starts no thread.
  static Start TryRun(std::function<void()> work);

  /// Whether TryRun would find all threads at work.
  static bool IsBusy();
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CERTIFIED_SURVEY_THREADS_H_
