#ifndef MANYARMS_SERVICE_LOAD_ANSWERS_H_
#define MANYARMS_SERVICE_LOAD_ANSWERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace manyarms::load {

/// What a load test needs of the answer to a choice.
struct Chosen {
  std::uint64_t decision = 0;           ///< 0 if there is none
  std::optional<std::uint64_t> number;  ///< the arm, by its number
  std::string name;                     ///< or by its name
  std::uint64_t eligible = 0;
  bool failed = false;  ///< an error in place of an answer
};

/// What it needs of the answer to a reward.
struct Rewarded {
  std::uint64_t decision = 0;
  bool learned = false;
  bool waiting = false;
  bool failed = false;
};

/// Reads an answer, or the results of several. Memory of `answers` is used
/// again. Throws Error(kCorrupt) for what is not as the service answers.
void ParseChosen(std::string_view body, bool several,
                 std::vector<Chosen>& answers);
void ParseRewarded(std::string_view body, bool several,
                   std::vector<Rewarded>& answers);

}  // namespace manyarms::load

#endif  // MANYARMS_SERVICE_LOAD_ANSWERS_H_
