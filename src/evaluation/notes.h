#ifndef MANYARMS_EVALUATION_NOTES_H_
#define MANYARMS_EVALUATION_NOTES_H_

#include <span>
#include <string>
#include <vector>

#include "manyarms/evaluation.h"

namespace manyarms {

/// What a reader of the result should know before trusting it. `rewards` are
/// those of the evaluated choices, one at least.
std::vector<std::string> NotesOn(const Evaluation& result,
                                 std::span<const double> rewards);

}  // namespace manyarms

#endif  // MANYARMS_EVALUATION_NOTES_H_
