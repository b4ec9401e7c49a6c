#ifndef MANYARMS_RESEARCH_MEMORY_H_
#define MANYARMS_RESEARCH_MEMORY_H_

#include <cstdint>

#include "manyarms/research/experiment.h"

namespace manyarms {

/// The most memory that this process has had at any time.
std::uint64_t PeakRssBytes();

/// The most arms that there will be at one time.
double MostArms(const RunSpec& spec);

/// About how much memory a run takes at least.
double EstimatedBytes(const RunSpec& spec);

/// Throws Error(kTooLarge) where that is more than the machine has: the system
/// would end the process without a word.
void CheckFitsInMemory(const RunSpec& spec);

}  // namespace manyarms

#endif  // MANYARMS_RESEARCH_MEMORY_H_
