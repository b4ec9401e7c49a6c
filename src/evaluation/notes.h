#ifndef MANYARMS_EVALUATION_NOTES_H_
#define MANYARMS_EVALUATION_NOTES_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "manyarms/evaluation.h"

namespace manyarms {

/// A note on choices that were left out, none at all for 0 of them.
std::vector<std::string> NotesOnRestricted(std::size_t restricted);

/// What a reader of the result should know before trusting it. `rewards` are
/// those of the evaluated choices, one at least.
std::vector<std::string> NotesOn(const Evaluation& result,
                                 std::span<const double> rewards);

}  // namespace manyarms

#endif  // MANYARMS_EVALUATION_NOTES_H_
